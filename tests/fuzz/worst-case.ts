/** The worst input a stranger can give to a parser, at the parser's own size limit. */
export interface WorstCase {
  readonly parser: string;
  /** What is bad about the input. */
  readonly input: string;
  /** Makes the input and a fresh parser, unmeasured. Returns one synchronous step of the event loop, which is measured. */
  readonly prepare: () => () => unknown;
}

const runs = 3;

/** Least CPU time of this thread over several runs: a busy machine and a cold compiler do not count. Milliseconds. */
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

/** For parsers that throw at bad input: that they do is not the question here. */
export function tolerant(step: () => unknown): () => unknown {
  return () => {
    try {
      return step();
    } catch {
      return undefined;
    }
  };
}
