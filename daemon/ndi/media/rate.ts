/** Frames per second as a fraction. */

export interface Rate {
  readonly numerator: number;
  readonly denominator: number;
}

/** Frame rates are whole numbers, or whole numbers times 1000/1001, such as 29.97. */
export function rateOf(framesPerSecond: number): Rate {
  const whole = Math.max(1, Math.round(framesPerSecond));
  const isWhole = Math.abs(framesPerSecond - whole) < Math.abs(framesPerSecond - (whole * 1000) / 1001);
  return isWhole ? { numerator: whole, denominator: 1 } : { numerator: whole * 1000, denominator: 1001 };
}
