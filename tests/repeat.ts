/**
 * Runs one test file many times next to a busy core, to reproduce an intermittent failure:
 * `bun tests/repeat.ts FILE [N]`. Prints a line per run; the logs of failed runs go to build/repeat.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { load: { type: 'string', default: '1' } },
});
const [file, times = '20'] = positionals;
const [runs, load] = [Number(times), Number(values.load)];
if (file === undefined || !Number.isInteger(runs) || runs < 1 || !Number.isInteger(load) || load < 0) {
  console.error(
    'Usage: make test-repeat FILE=tests/integration/hls.test.ts [N=20] [LOAD=1]; LOAD is the number of busy cores',
  );
  process.exit(2);
}

const root = join(import.meta.dir, '..');
const folder = join(root, 'build/repeat');
mkdirSync(folder, { recursive: true });
const bun = process.execPath;
const command = file.endsWith('.e2e.ts')
  ? [bun, '--bun', 'x', 'playwright', 'test', '--workers=1', '--reporter=line', file]
  : [
      bun,
      'test',
      '--timeout=30000',
      ...(file.startsWith('web/') ? ['--preload', './web/test-setup.ts'] : []),
      `./${file}`,
    ];

const busyLoop = 'for (;;);';
const loops = Array.from({ length: load }, () =>
  Bun.spawn(['setpriv', '--pdeathsig', 'KILL', bun, '-e', busyLoop], { stdio: ['ignore', 'ignore', 'ignore'] }),
);
let failed = 0;
for (let run = 1; run <= runs; run++) {
  const began = performance.now();
  const child = Bun.spawn(command, { cwd: root, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const [code, ...text] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const log = join(folder, `run-${run}.log`);
  if (code !== 0) {
    failed++;
    writeFileSync(log, text.join('\n'));
  }
  console.log(`run ${run} of ${runs}: ${seconds} s ${code === 0 ? 'passed' : `FAILED, see ${log}`}`);
}
for (const loop of loops) loop.kill('SIGKILL');
console.log(`\n${runs - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
