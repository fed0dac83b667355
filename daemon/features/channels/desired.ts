/** Builds the desired state of the media engine from the configuration. Pure. */
import { join } from 'node:path';
import type { FailoverRule } from '../../contract/failover.ts';
import {
  type DesiredChannel,
  type DesiredState,
  type EngineSettings,
  ndiOutputId,
  type SlateDesired,
} from '../../media/protocol/desired.ts';
import { type FetchSource, isRtspServer, type OutputTarget, type StreamAddress } from '../../sources/stream-address.ts';
import { inputIdOf } from '../../sources/stream-device.ts';
import { ndiSource } from './channel-ndi.ts';
import type { ConfiguredChannel } from './configuration.ts';

export function desiredState(
  settings: EngineSettings,
  channels: readonly ConfiguredChannel[],
  slatesDir: string,
): Omit<DesiredState, 'generation'> {
  return { settings, channels: channels.map((channel) => desiredChannel(channel, slatesDir)) };
}

function desiredChannel(channel: ConfiguredChannel, slatesDir: string): DesiredChannel {
  const { backup, failover, slate, device } = channel;
  const main = channel.input ?? (device?.source && { id: inputIdOf(device.id), address: device.source });
  const picture = slate && join(slatesDir, slate);
  return {
    id: channel.id,
    name: channel.name,
    enabled: channel.enabled,
    pushKey: device?.pushKey ?? channel.pushKey,
    playKey: channel.playKey,
    allow: { rtmp: channel.allowRtmp, srt: channel.allowSrt },
    takeover: channel.takeover,
    inputId: main?.id ?? 0,
    input: main ? fetchSource(main.address) : { protocol: 'push' },
    ...(backup && {
      backup: {
        inputId: backup.id,
        input: fetchSource(backup.address),
        failover: { ...failover, slate: slateDesired(failover.slate, picture) },
      },
    }),
    outputs: [
      ...(channel.allowNdiHx ? [{ id: ndiOutputId, enabled: true, target: ndiSource(channel.name, channel.ndi) }] : []),
      ...channel.outputs.map(({ id, enabled, address }) => ({ id, enabled, target: outputTarget(address) })),
    ],
  };
}

function slateDesired(kind: FailoverRule['slate'], picture: string | undefined): SlateDesired {
  if (kind !== 'picture') return { kind };
  return picture ? { kind, path: picture } : { kind: 'bars' };
}

/** Returns how the engine gets the stream of an input. */
export function fetchSource(address: StreamAddress): FetchSource {
  if (isRtspServer(address)) throw new Error('no input is a server');
  // A listener of an input accepts one sender.
  return address.protocol === 'srt' ? { ...address, maxConnections: 1 } : address;
}

function outputTarget(address: StreamAddress): OutputTarget {
  const isPulled = address.protocol === 'http' || (address.protocol === 'rtsp' && !isRtspServer(address));
  if (isPulled) throw new Error('no output fetches');
  if (address.protocol !== 'srt' && address.protocol !== 'rtmp') return address;
  // Whether users see the key makes no difference to the connection, which must not restart when that changes.
  const { isKeyHidden: _, ...target } = address;
  return target;
}
