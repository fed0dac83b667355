import { mutate } from './mutate.ts';
import { createRandom, type Random } from './random.ts';

export interface FuzzTarget {
  readonly name: string;
  /** How many inputs `bun test` gives it. */
  readonly inputs: number;
  /** Good inputs, the same in every run. */
  readonly corpus: () => readonly Uint8Array[];
  readonly start: () => Promise<RunningTarget> | RunningTarget;
}

export interface RunningTarget {
  /**
   * Gives one input to a fresh parser, and throws what the parser is not said to throw. Returns what stays in memory.
   */
  feed(input: Uint8Array, random: Random): unknown;
  /** Throws unless it still answers; called now and then. */
  check?(): Promise<void>;
  close?(): Promise<void>;
}

/** Of a parser that needs nothing but the input. */
export function parser(
  name: string,
  inputs: number,
  corpus: () => readonly Uint8Array[],
  feed: RunningTarget['feed'],
): FuzzTarget {
  return { name, inputs, corpus, start: () => ({ feed }) };
}

/** The input of one iteration, and the numbers that its target goes on with: both depend on nothing else. */
export function inputAt(
  corpus: readonly Uint8Array[],
  seed: number,
  iteration: number,
): { input: Uint8Array; random: Random } {
  const random = createRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(iteration + 1, 0x85ebca6b));
  return { input: mutate(random, corpus), random };
}

/** Runs what may throw these and nothing else. */
export function allow(errors: readonly (new (...args: never[]) => Error)[], run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    if (!errors.some((one) => error instanceof one)) throw error;
    return undefined;
  }
}
