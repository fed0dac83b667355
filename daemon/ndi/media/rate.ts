/** Frames per second as a fraction. */

export interface Rate {
  readonly numerator: number;
  readonly denominator: number;
}

/** Broadcast rates are multiples of 1000/1001 as often as whole numbers. */
export function rateOf(framesPerSecond: number): Rate {
  const whole = Math.max(1, Math.round(framesPerSecond));
  const isWhole = Math.abs(framesPerSecond - whole) < Math.abs(framesPerSecond - (whole * 1000) / 1001);
  return isWhole ? { numerator: whole, denominator: 1 } : { numerator: whole * 1000, denominator: 1001 };
}
