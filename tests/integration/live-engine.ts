/** A real media engine for the integration tests, without a hub: tests set the desired and read the reported state. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../daemon/lib/log.ts';
import { confinedEngine } from '../../daemon/media/engine-command.ts';
import { createMediaPort, type MediaPort } from '../../daemon/media/port.ts';
import type { DesiredChannel, EngineSettings } from '../../daemon/media/protocol/desired.ts';
import type { ChannelStatus } from '../../daemon/media/protocol/reported.ts';
import { timeDivisorName } from '../../daemon/timing.ts';
import { privateAllowed } from '../support/outgoing.ts';
import { addLogFile, engineLog, until, untilSeen } from '../support/until.ts';

export interface LiveEngine {
  readonly media: MediaPort;
  readonly folder: string;
  readonly ports: { readonly rtmp: number; readonly srt: number; readonly hls: number };
  /** Resolves when the engine has applied these channels; earlier channels stay unchanged. */
  put(...channels: readonly DesiredChannel[]): Promise<void>;
  remove(...ids: readonly number[]): Promise<void>;
  channel(id: number): ChannelStatus;
  untilChannel(
    id: number,
    holds: (channel: ChannelStatus) => boolean,
    what: string,
    withinMs?: number,
  ): Promise<ChannelStatus>;
  stop(): Promise<void>;
}

/** Returns the command that starts the engine with its slow times divided, confined as it is in the product. */
export function engineCommand(dataDir: string, timeDivisor: number, ffmpeg = 'ffmpeg'): readonly string[] {
  const program = [process.execPath, join(import.meta.dir, '../../daemon/main.ts')];
  const command = ['env', `${timeDivisorName}=${timeDivisor}`, ...program];
  return confinedEngine([...command, 'media', '--data-dir', dataDir, '--ffmpeg', ffmpeg], { dataDir, ffmpeg });
}

/** `timeDivisor`: 1, or the divisor of scaled-timing.ts. */
export async function startEngine(timeDivisor: number): Promise<LiveEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-engine-'));
  const settings: EngineSettings = {
    ...{ bind: '127.0.0.1', rtmpPort: 0, hlsPort: 0, trustedProxies: [] },
    srt: { port: 0, latencyMs: 120, keyLength: 0, passphrase: '' },
    outgoing: privateAllowed,
  };
  const media = createMediaPort({
    dataDir: folder,
    ffmpeg: 'ffmpeg',
    log: createLog('error', () => undefined),
    command: engineCommand(folder, timeDivisor),
  });
  media.apply({ settings, channels: [] });
  media.start();
  const forgetLog = addLogFile('engine', join(folder, engineLog));
  const isOpen = () => media.status().applied && Object.values(media.ports()).every((port) => port !== 0);
  await until(isOpen, 15_000, 'the engine runs and listens');
  const desired = new Map<number, DesiredChannel>();
  const apply = async () => {
    media.apply({ settings, channels: [...desired.values()].toSorted((a, b) => a.id - b.id) });
    await until(() => media.status().applied, 20_000, 'the engine applied the state');
  };
  const channel = (id: number): ChannelStatus => {
    const status = media.status().channels.get(id);
    if (!status) throw new Error(`the engine tells nothing of channel ${id}`);
    return status;
  };
  return {
    ...{ media, folder, channel, ports: media.ports() },
    put(...channels) {
      for (const one of channels) desired.set(one.id, one);
      return apply();
    },
    remove(...ids) {
      for (const id of ids) desired.delete(id);
      return apply();
    },
    untilChannel: (id, holds, what, withinMs) => untilSeen(() => channel(id), holds, withinMs, what),
    async stop() {
      await media.close('test over');
      forgetLog();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A channel that accepts any publisher, and players over both protocols. */
export function pushed(id: number, rest: Partial<DesiredChannel> = {}): DesiredChannel {
  return {
    ...{ id, name: `Channel ${id}`, enabled: true, pushKey: `push-${id}`, playKey: `play-${id}` },
    ...{ allow: { rtmp: true, srt: true }, takeover: false, inputId: 0, input: { protocol: 'push' }, outputs: [] },
    ...rest,
  };
}
