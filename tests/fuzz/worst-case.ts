/** The worst untrusted input for a parser, at the parser's own size limit. */
export interface WorstCase {
  readonly parser: string;
  /** What makes the input slow to parse. */
  readonly input: string;
  /** Creates the input and a fresh parser. Returns one synchronous step of the event loop, the only part measured. */
  readonly prepare: () => () => unknown;
}

const [minRuns, maxRuns] = [3, 20];

/** Parses text like most of the parsers do; the CPU time of this shows how fast a machine is. */
const knownWork: WorstCase = {
  parser: 'JSON',
  input: 'numbers',
  prepare() {
    const text = `[${'1,'.repeat(500_000)}1]`;
    return () => Array.from({ length: 10 }, () => (JSON.parse(text) as number[]).length);
  },
};
/** CPU time of the known work on a machine of the speed that the limits are meant for. */
const knownWorkMs = 60;

/** Returns how much slower than that machine this one is; 1 if it is faster. */
export async function slowness(): Promise<number> {
  return Math.max(1, (await cpuMs(knownWork, knownWorkMs)) / knownWorkMs);
}

/**
 * Returns the lowest CPU time of this thread over several runs, in ms, to exclude other load and cold code. Runs more
 * often while that is above `goodMs`: other virtual machines may slow this one down for a while.
 */
export async function cpuMs({ prepare }: WorstCase, goodMs: number): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < minRuns || (best > goodMs && run < maxRuns); run++) {
    const step = prepare();
    const before = process.threadCpuUsage();
    await step();
    const { user, system } = process.threadCpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}

/** Ignores the errors that parsers throw for invalid input; only their CPU time matters here. */
export function tolerant(step: () => unknown): () => unknown {
  return () => {
    try {
      return step();
    } catch {
      return undefined;
    }
  };
}
