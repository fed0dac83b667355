import { mutate } from './mutate.ts';
import { createRandom, type Random } from './random.ts';

export interface FuzzTarget {
  readonly name: string;
  /** The number of inputs in `bun test`. */
  readonly inputs: number;
  /** Valid inputs, the same in every run. */
  readonly corpus: () => readonly Uint8Array[];
  readonly start: () => Promise<RunningTarget> | RunningTarget;
}

export interface RunningTarget {
  /**
   * Feeds one input to a fresh parser. Throws errors that the target does not allow. Returns the objects to keep alive
   * for the memory check.
   */
  feed(input: Uint8Array, random: Random): unknown;
  /** Throws if the target no longer answers. Called every 50 inputs and after the last. */
  check?(): Promise<void>;
  close?(): Promise<void>;
}

/** Returns the target of a parser that needs only the input. */
export function parser(
  name: string,
  inputs: number,
  corpus: () => readonly Uint8Array[],
  feed: RunningTarget['feed'],
): FuzzTarget {
  return { name, inputs, corpus, start: () => ({ feed }) };
}

/** Returns the input of an iteration and the random numbers for its target. Both depend only on the arguments. */
export function inputAt(
  corpus: readonly Uint8Array[],
  seed: number,
  iteration: number,
): { input: Uint8Array; random: Random } {
  const random = createRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(iteration + 1, 0x85ebca6b));
  return { input: mutate(random, corpus), random };
}

/** Calls `run` and ignores errors of these classes. Throws all others. */
export function allow(errors: readonly (new (...args: never[]) => Error)[], run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    if (!errors.some((one) => error instanceof one)) throw error;
    return undefined;
  }
}
