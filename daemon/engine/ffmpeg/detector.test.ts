import { afterAll, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkFfmpeg } from './detector.ts';

const dir = mkdtempSync(join(tmpdir(), 'signalbox-ffmpeg-'));
afterAll(() => rmSync(dir, { recursive: true }));

function script(name: string, text: string): string {
  const path = join(dir, name);
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

test('a usable FFmpeg reports its version', async () => {
  const path = script('new', 'echo "ffmpeg version 5.1.9-0+deb12u1 Copyright"');
  expect(await checkFfmpeg(path)).toEqual({ name: 'ffmpeg', ok: true, version: '5.1.9-0+deb12u1' });
});

test('an FFmpeg that is too old is reported with the required version', async () => {
  const part = await checkFfmpeg(script('old', 'echo "ffmpeg version 3.4 Copyright"'));
  expect(part).toMatchObject({ ok: false, reason: 'tooOld', version: '3.4' });
  expect(part.message).toMatch(/3\.4 is too old, 4\.4 .*SIGNALBOX_FFMPEG/);
});

test('a missing FFmpeg is distinguished from one that does not work', async () => {
  expect(await checkFfmpeg(join(dir, 'none'))).toMatchObject({ ok: false, reason: 'missing' });
  expect(await checkFfmpeg(script('broken', 'exit 1'))).toMatchObject({ ok: false, reason: 'failed' });
});

test('an FFmpeg that hangs is given up in time', async () => {
  const path = script('hanging', 'exec sleep 20');
  const began = performance.now();
  expect(await checkFfmpeg(path, 100)).toMatchObject({ ok: false, reason: 'failed' });
  expect(performance.now() - began).toBeLessThan(5000);
});
