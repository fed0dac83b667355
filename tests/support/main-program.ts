/** The program that tests start as hub or engine. */
import { join } from 'node:path';

const root = join(import.meta.dir, '../..');
/** Set by the runner; without it, tests run the sources. */
export const mainProgramName = 'SIGNALBOX_TEST_PROGRAM';

/** Path of the sources, or of the one file that the runner made of them: each start then takes half the CPU time. */
export const mainProgram = process.env[mainProgramName] ?? join(root, 'daemon/main.ts');

/** Makes one file of the sources and returns its path. It depends on the folder: see daemon/lib/install-layout.ts. */
export async function bundleProgram(): Promise<string> {
  const outdir = join(root, 'build/program');
  const result = await Bun.build({ entrypoints: [join(root, 'daemon/main.ts')], outdir, target: 'bun' });
  if (!result.success) throw new AggregateError(result.logs, 'the program cannot be bundled');
  return join(outdir, 'main.js');
}
