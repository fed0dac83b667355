import { expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../lib/log.ts';
import { createNdiRuntime } from './runtime.ts';

test('folders of a killed engine are removed, and those of a running one stay', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sb-ndi-runtime-'));
  const dead = Bun.spawn(['true']);
  await dead.exited;
  const running = `ndi-input-${process.pid}-1`;
  for (const name of [running, `ndi-output-${dead.pid}-2`]) mkdirSync(join(folder, name, 'tmp'), { recursive: true });
  createNdiRuntime({
    ...{ path: '/lib/a', folder, ffmpeg: () => undefined, log: createLog('error', () => undefined) },
    ...{ defaults: () => undefined, onLoaded: () => undefined },
  });
  expect(readdirSync(folder)).toEqual([running]);
  rmSync(folder, { recursive: true });
});
