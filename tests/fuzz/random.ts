/** Pseudorandom numbers that depend only on the seed, so that failures can be reproduced. */
export interface Random {
  /** Returns an integer from 0 up to, but not including, the bound. */
  below(bound: number): number;
  pick<T>(list: readonly T[]): T;
  bytes(count: number): Uint8Array;
}

/** Returns a Mulberry32 generator. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (bound: number) => next() % Math.max(1, bound);
  return {
    below,
    pick<T>(list: readonly T[]): T {
      return list[below(list.length)] as T;
    },
    bytes: (count) => Uint8Array.from({ length: count }, () => next() & 0xff),
  };
}
