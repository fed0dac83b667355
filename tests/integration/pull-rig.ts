/** An engine for inputs that it pulls. It starts before the tests of a file and stops after them. */

import { afterAll, beforeAll, expect } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectionStates } from '../../daemon/contract/streams.ts';
import { createLog } from '../../daemon/lib/log.ts';
import { createMediaPort, type MediaPort } from '../../daemon/media/port.ts';
import type { DesiredChannel, InputSource } from '../../daemon/media/protocol/desired.ts';
import type { InputStatus } from '../../daemon/media/protocol/reported.ts';
import { commandLine, processTree } from '../bench/proc.ts';
import { looped } from '../support/clips.ts';
import { privateAllowed } from '../support/outgoing.ts';
import { addLog, until, untilSeen, usualMs } from '../support/until.ts';
import { engineCommand, pushed } from './live-engine.ts';
import { fileIn, inspect, killAll, type Running, record, run, source } from './live-media.ts';
import { timeDivisor } from './scaled-timing.ts';
import { expectWhole } from './whole-recording.ts';

export interface PullRig {
  readonly folder: string;
  /** The engine's log at all levels. */
  readonly logLines: readonly string[];
  /** Known once the first test starts. */
  readonly rtmpPort: number;
  addChannel(input: InputSource): { readonly id: number; readonly push: string; readonly play: string };
  inputOf(id: number): InputStatus | undefined;
  untilConn(id: number, conn: number, withinMs?: number): Promise<unknown>;
  untilLive(id: number, withinMs?: number): Promise<unknown>;
  /** Records the channel for `seconds` (4 by default) and expects video and audio without gaps. */
  expectPlays(play: string, name: string, seconds?: number): Promise<void>;
  /** Returns process ids and command lines of the engine and all its child processes. */
  processes(): { readonly pid: number; readonly words: readonly string[] }[];
  /** Removes all channels and ends all processes of the test, for tests that do not run concurrently. */
  clear(): Promise<void>;
}

const startMs = 60_000;

/** Call once at the top level of a test file: this registers hooks. */
export function openPullRig(name: string): PullRig {
  const folder = mkdtempSync(join(tmpdir(), `sb-${name}-`));
  const logLines: string[] = [];
  const channels: DesiredChannel[] = [];
  let lastId = 0;
  const media: MediaPort = createMediaPort({
    dataDir: join(folder, 'engine'),
    ffmpeg: 'ffmpeg',
    log: createLog('debug', (line) => logLines.push(line)),
    command: engineCommand(join(folder, 'engine'), timeDivisor),
  });
  const apply = () => {
    const srt = { port: 0, latencyMs: 120, keyLength: 0, passphrase: '' };
    media.apply({
      settings: { bind: '127.0.0.1', rtmpPort: 0, hlsPort: 0, trustedProxies: [], srt, outgoing: privateAllowed },
      channels: [...channels],
    });
  };
  beforeAll(async () => {
    addLog('engine', () => logLines.join('\n'));
    media.start();
    apply();
    await until(() => media.ports().rtmp !== 0, usualMs, 'the engine takes RTMP connections');
  }, startMs);
  afterAll(async () => {
    await killAll();
    await media.close('end of the test');
    rmSync(folder, { recursive: true, force: true });
  });

  const inputOf = (id: number) => media.status().channels.get(id)?.input;
  const untilConn = (id: number, conn: number, withinMs = usualMs) =>
    untilSeen(
      () => inputOf(id),
      (input) => input?.conn === conn,
      withinMs,
      `input of ${id} in state ${conn}`,
    );
  return {
    ...{ folder, logLines, inputOf, untilConn },
    get rtmpPort() {
      return media.ports().rtmp;
    },
    untilLive: (id, withinMs) => untilConn(id, connectionStates.connected, withinMs),
    addChannel(input) {
      const id = ++lastId;
      channels.push(pushed(id, { inputId: input.protocol === 'push' ? 0 : id, input }));
      apply();
      const url = (key: string) => `rtmp://127.0.0.1:${media.ports().rtmp}/live/${key}-${id}`;
      return { id, push: url('push'), play: url('play') };
    },
    async expectPlays(play, name, seconds = 4) {
      const file = fileIn(folder, `${name}.mkv`);
      expect(await record(play, file, seconds).exited).toBe(0);
      expectWhole(await inspect(file), seconds);
    },
    processes: () => processTree(media.status().pid).map((pid) => ({ pid, words: commandLine(pid) })),
    async clear() {
      channels.length = 0;
      apply();
      await killAll();
    },
  };
}

/** FFmpeg that plays the test source to `output` in real time. */
export const playTo = (...output: string[]): Running =>
  run(['ffmpeg', '-nostdin', '-hide_banner', '-loglevel', 'warning', ...looped(source), ...output]);
