/** Runs fuzz targets. A failure report says how to reproduce the input. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inputAt } from './target.ts';
import { targetNamed } from './targets.ts';

export interface Stretch {
  readonly target: string;
  readonly seed: number;
  /** The first iteration; `count` is the number of iterations. */
  readonly from: number;
  readonly count: number;
}

const folder = join(import.meta.dir, '../../build/fuzz');
const hangMs = 15_000;
const lookMs = 500;

/** Returns a failure report, or undefined if all inputs passed. */
export async function runStretch({ target, seed, from, count }: Stretch): Promise<string | undefined> {
  mkdirSync(folder, { recursive: true });
  const progress = join(folder, `${target}-${process.pid}.at`);
  writeFileSync(progress, '');
  const script = join(import.meta.dir, 'run-target.ts');
  const words = [target, seed, from, from + count].map(String);
  const child = Bun.spawn([process.execPath, script, ...words, progress], {
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'pipe',
  });
  const output = new Response(child.stderr).text();
  let seen = '';
  let seenAt = performance.now();
  let hangs = false;
  const watch = setInterval(() => {
    const now = readFileSync(progress, 'utf8');
    if (now !== seen) [seen, seenAt] = [now, performance.now()];
    else if (performance.now() - seenAt > hangMs) {
      hangs = true;
      child.kill('SIGKILL');
    }
  }, lookMs);
  const code = await child.exited;
  clearInterval(watch);
  const iteration = Number(readFileSync(progress, 'utf8'));
  rmSync(progress);
  if (code === 0) return undefined;
  const { input } = inputAt(targetNamed(target).corpus(), seed, iteration);
  const file = join(folder, `${target}-${seed}-${iteration}.bin`);
  writeFileSync(file, input);
  return [
    `target ${target}, seed ${seed}, iteration ${iteration}: ${hangs ? 'did not return' : `exited with code ${code}`}`,
    (await output).trim(),
    `input: ${input.length} bytes in ${file}, starting with ${Buffer.from(input.subarray(0, 64)).toString('hex')}`,
    `to reproduce: make fuzz TARGET=${target} SEED=${seed} AT=${iteration}`,
  ].join('\n');
}
