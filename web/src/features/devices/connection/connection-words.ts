/** A side of the connection in words, such as "SRT, latency 120 ms, main stream". */
import { t as now } from '@lingui/core/macro';
import type { DeviceConnection } from '../../../../../daemon/contract/device-fields.ts';
import { limits } from '../../../../../daemon/contract/limits.ts';
import { protocolBits } from '../../../../../daemon/contract/streams.ts';

type Side = { readonly protocol: number; readonly latency?: number | undefined };

function ways({ protocol, latency = limits.latency.default }: Side): string[] {
  if (protocol === protocolBits.rtmp) return ['RTMP'];
  return protocol === protocolBits.srt ? ['SRT', now`latency ${latency} ms`] : [now`as the channel prefers`];
}

export function sendingParts({ input }: DeviceConnection): string[] {
  const stream = input?.['stream-index'] === 1 ? now`sub stream` : now`main stream`;
  return [...ways(input ?? { protocol: 0 }), stream];
}

export function playingParts({ output }: DeviceConnection): string[] {
  const buffer = output?.['buffer-ms'] ?? 0;
  return [...ways(output ?? { protocol: 0 }), ...(buffer > 0 ? [now`buffer ${buffer} ms`] : [])];
}
