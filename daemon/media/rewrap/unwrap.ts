/** Counters that wrap: 33 bits at 90 kHz in a transport stream (26.5 hours), 32 bits of milliseconds in FLV. */

export const tsClockModulus = 2 ** 33;
export const flvClockModulus = 2 ** 32;

/** Each value is taken as the one nearest to the value before it, so the line goes on across a wrap. */
export function createUnwrapper(modulus: number): (value: number) => number {
  let last: number | undefined;
  return (value) => {
    last = last === undefined ? value : last + signedDifference(value, last, modulus);
    return last;
  };
}

/** How far `value` is from `from`, the shorter way round. */
export function signedDifference(value: number, from: number, modulus: number): number {
  const ahead = (((value - from) % modulus) + modulus) % modulus;
  return ahead >= modulus / 2 ? ahead - modulus : ahead;
}
