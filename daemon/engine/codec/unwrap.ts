/** Counters that wrap: 33 bits at 90 kHz in a transport stream (26.5 hours), 32 bits in FLV (milliseconds) and RTP. */

export const tsClockModulus = 2 ** 33;
export const flvClockModulus = 2 ** 32;
export const rtpClockModulus = 2 ** 32;

/** Returns a function that maps each value to the one nearest to its last result, to continue across wraps. */
export function createUnwrapper(modulus: number): (value: number) => number {
  let last: number | undefined;
  return (value) => {
    last = last === undefined ? value : last + signedDifference(value, last, modulus);
    return last;
  };
}

/** Returns the signed distance of `value` from `from`, the shorter way around. */
export function signedDifference(value: number, from: number, modulus: number): number {
  const ahead = (((value - from) % modulus) + modulus) % modulus;
  return ahead >= modulus / 2 ? ahead - modulus : ahead;
}
