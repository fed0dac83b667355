/** Compiles the double of the NDI library into a folder. */
import { join } from 'node:path';

const sources = ['libndi.c', 'media.c', 'serve.c', 'simulated.c'].map((name) => join(import.meta.dir, name));

/** Returns its path. `defines`: such as `WITHOUT_VERSION`; `linked`: more arguments of the linker. */
export async function buildDouble(
  folder: string,
  defines: readonly string[] = [],
  linked: readonly string[] = [],
): Promise<string> {
  const path = join(folder, 'libndi.so.6');
  const flags = ['-shared', '-fPIC', '-O1', '-Wall', '-Wextra', '-Werror', '-fvisibility=hidden', '-pthread'];
  const command = [
    'gcc',
    ...flags,
    ...defines.map((name) => `-D${name}`),
    '-Wl,-soname,libndi.so.6',
    '-o',
    path,
    ...sources,
    ...linked,
  ];
  const compiler = Bun.spawn(command, { stdout: 'ignore', stderr: 'pipe' });
  const errors = await new Response(compiler.stderr).text();
  if ((await compiler.exited) !== 0) throw new Error(`the double of the NDI library was not built: ${errors}`);
  return path;
}
