import { afterAll, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { confinedFfmpeg } from './process.ts';

const folder = mkdtempSync(join(tmpdir(), 'signalbox-ffmpeg-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a shell script in place of FFmpeg and returns the lines that it prints. */
async function linesOf(script: string): Promise<string[]> {
  const binary = join(folder, 'ffmpeg');
  writeFileSync(binary, `#!/bin/sh\n${script}\n`);
  chmodSync(binary, 0o755);
  const child = Bun.spawn(confinedFfmpeg([binary], {}), { stdout: 'pipe', stderr: 'ignore' });
  return (await new Response(child.stdout).text()).trim().split('\n');
}

test('the memory and open files of FFmpeg are limited', async () => {
  const [memory, files] = await linesOf('ulimit -v; ulimit -n');
  expect([Number(memory) * 1024, Number(files)]).toEqual([2 ** 31, 256]);
});
