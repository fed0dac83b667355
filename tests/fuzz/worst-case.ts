/** The worst untrusted input for a parser, at the parser's own size limit. */
export interface WorstCase {
  readonly parser: string;
  /** What makes the input slow to parse. */
  readonly input: string;
  /** Creates the input and a fresh parser. Returns one synchronous step of the event loop, the only part measured. */
  readonly prepare: () => () => unknown;
}

const runs = 3;

/** Returns the lowest CPU time of this thread over several runs, in ms, to exclude other load and cold code. */
export async function cpuMs({ prepare }: WorstCase): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
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
