import { expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../../tests/support/until.ts';
import { createLog } from '../../lib/log.ts';
import { createSlatePlayer } from './slate-player.ts';

setDefaultTimeout(60_000);

test('a slate that failed to encode is retried, though not at once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-slate-'));
  const binary = join(folder, 'ffmpeg');
  const install = (script: string) => {
    writeFileSync(binary, `#!/bin/sh\n${script}\n`);
    chmodSync(binary, 0o755);
  };
  install('exit 1');
  const lines: string[] = [];
  const log = createLog('error', (line) => lines.push(line));
  const player = createSlatePlayer({ kind: 'bars' }, { ffmpeg: () => binary }, log, () => undefined);
  player.prepare(undefined, true);
  await until(() => lines.length > 0);
  expect(player.isReady).toBe(false);
  install('exec ffmpeg "$@"');
  await until(() => {
    player.prepare(undefined, true);
    return player.isReady;
  });
  expect(lines).toHaveLength(1);
  player.close();
  rmSync(folder, { recursive: true });
});
