import { afterAll, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startFfmpeg } from './process.ts';

const folder = mkdtempSync(join(tmpdir(), 'signalbox-ffmpeg-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a shell script in place of FFmpeg and returns the lines of its log. */
async function logOf(script: string, args: readonly string[]): Promise<string[]> {
  const binary = join(folder, 'ffmpeg');
  writeFileSync(binary, `#!/bin/sh\n${script}\n`);
  chmodSync(binary, 0o755);
  const child = startFfmpeg({ binary, name: 'test', args, rights: {} });
  await child.exited;
  return child.log().lines.map(({ text }) => text);
}

test('FFmpeg inherits only PATH from the environment of the hub', async () => {
  process.env.SIGNALBOX_TEST_SECRET = 'swordfish';
  const lines = await logOf('exec env >&2', []);
  delete process.env.SIGNALBOX_TEST_SECRET;
  const names = lines.map((line) => line.split('=')[0]);
  // The shell itself adds PWD and _.
  expect(names.filter((name) => name !== 'PWD' && name !== '_')).toEqual(['PATH']);
});

test('the memory and open files of FFmpeg are limited', async () => {
  const [memory, files] = await logOf('ulimit -v >&2; ulimit -n >&2', []);
  expect([Number(memory) * 1024, Number(files)]).toEqual([2 ** 31, 256]);
});

test('the log of FFmpeg shows no keys or passwords from URLs', async () => {
  const url = 'rtmp://me:pass-1@host/live?key=abc&passphrase=word-2';
  const lines = await logOf('echo "$@" >&2', [url]);
  expect(lines.at(-1)).toEndWith('rtmp://***@host/live?key=***&passphrase=***');
});
