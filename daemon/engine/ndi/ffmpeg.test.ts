import { afterEach, expect, test } from 'bun:test';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { untilSeen } from '../../../tests/support/until.ts';
import { watchSilence } from '../../process/silence.ts';
import { startFfmpeg } from './ffmpeg.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** In the place of FFmpeg: a program that reads its standard input. */
function start(command: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'sb-ndi-ffmpeg-'));
  const stdout = openSync(join(folder, 'out'), 'w');
  const codec = startFfmpeg(command, { stdout });
  ends.push(() => {
    closeSync(stdout);
    rmSync(folder, { recursive: true });
  });
  ends.push(async () => {
    codec.kill();
    await codec.ended;
  });
  return codec;
}

/** More than a pipe holds. */
const bytes = new Uint8Array(1 << 20);

test('a program that no longer reads is noticed; one that reads, or has nothing to read, is not', async () => {
  const [reads, idle, hangs] = [start(['cat']), start(['cat']), start(['sleep', '60'])];
  const hung: string[] = [];
  let checks = 0;
  for (const [name, codec] of Object.entries({ reads, idle, hangs })) {
    const watch = { checkMs: 50, onCheck: () => void checks++, onHung: () => void hung.push(name) };
    ends.push(watchSilence(codec, watch));
  }
  hangs.write(bytes);
  await untilSeen(
    () => {
      if (reads.unread() === 0) reads.write(bytes);
      return checks;
    },
    (count) => count >= 15,
  );
  expect(hung).toEqual(['hangs']);
});

test('how a program ended is known', async () => {
  const codec = start(['sh', '-c', 'echo one >&2; echo two >&2']);
  expect(await codec.ended).toBe('FFmpeg ended: two');
});
