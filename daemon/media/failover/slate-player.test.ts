import { expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../../tests/support/until.ts';
import { createLog } from '../../lib/log.ts';
import { createSlatePlayer } from './slate-player.ts';

setDefaultTimeout(60_000);

test('a slate that could not be made is tried again, though not at once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-slate-'));
  const tried = join(folder, 'tried');
  const binary = join(folder, 'ffmpeg');
  writeFileSync(binary, `#!/bin/sh\n[ -e ${tried} ] && exec ffmpeg "$@"\ntouch ${tried}\nexit 1\n`);
  chmodSync(binary, 0o755);
  const lines: string[] = [];
  const log = createLog('error', (line) => lines.push(line));
  const player = createSlatePlayer({ kind: 'bars' }, { ffmpeg: () => binary }, log, () => undefined);
  player.prepare(undefined, true);
  await until(() => {
    player.prepare(undefined, true);
    return player.isReady;
  });
  expect(existsSync(tried)).toBe(true);
  expect(lines).toHaveLength(1);
  player.close();
  rmSync(folder, { recursive: true });
});
