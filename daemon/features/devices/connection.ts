/** How devices send to the hub and play from it. Pure. */
import type { DeviceConnection } from '../../contract/device-fields.ts';
import { limits } from '../../contract/limits.ts';
import type { OperationChange } from '../../contract/logs.ts';
import { protocolBits } from '../../contract/streams.ts';

const { rtmp, srt } = protocolBits;

/** As it is stored: null for nothing of its own, and a latency with SRT only. */
export function normalConnection({ input, output }: DeviceConnection): DeviceConnection | null {
  if (input === undefined && output === undefined) return null;
  const latency = (side: { readonly protocol: number; readonly latency?: number | undefined }) =>
    side.protocol === srt ? { latency: side.latency ?? limits.latency.default } : {};
  return {
    ...(input && {
      input: { protocol: input.protocol, ...latency(input), 'stream-index': input['stream-index'] ?? 0 },
    }),
    ...(output && {
      output: { protocol: output.protocol, ...latency(output), 'buffer-ms': output['buffer-ms'] ?? 0 },
    }),
  };
}

const names: Readonly<Record<number, string>> = { [rtmp]: 'RTMP', [srt]: 'SRT' };

/** For the operation log. */
export function connectionChanges({ input, output }: DeviceConnection): OperationChange[] {
  const protocol = (side: { readonly protocol: number } | undefined) => side && names[side.protocol];
  const [sends, plays] = [protocol(input), protocol(output)];
  const latency = (side: { readonly latency?: number | undefined } | undefined): OperationChange[] =>
    side?.latency === undefined ? [] : [{ word: 'latency', value: String(side.latency) }];
  return [
    sends === undefined ? { word: 'sendsAsUsual' } : { word: 'sendsOver', value: sends },
    ...latency(input),
    ...(input?.['stream-index'] === 1 ? [{ word: 'subStream' } as const] : []),
    plays === undefined ? { word: 'playsAsUsual' } : { word: 'playsOver', value: plays },
    ...latency(output),
    ...(output?.['buffer-ms'] ? [{ word: 'buffer', value: String(output['buffer-ms']) } as const] : []),
  ];
}

/** What a channel accepts and prefers. */
export interface ChannelProtocols {
  readonly allowRtmp: boolean;
  readonly allowSrt: boolean;
  readonly preferredProtocol: number;
}

/** What applies to one device: its own value, or that of all, or what the channel prefers, of what it allows. */
export function settledConnection(
  own: DeviceConnection | null,
  global: DeviceConnection,
  channel: ChannelProtocols,
): {
  readonly input: { readonly protocol: 'rtmp' | 'srt'; readonly latencyMs: number; readonly stream: 'main' | 'sub' };
  readonly output: { readonly protocol: 'rtmp' | 'srt'; readonly latencyMs: number; readonly bufferMs: number };
} | null {
  const allowed = [...(channel.allowRtmp ? [rtmp] : []), ...(channel.allowSrt ? [srt] : [])];
  const side = (kind: 'input' | 'output') => {
    const given = [own?.[kind], global[kind]];
    const wishes = [...given.map((one) => one?.protocol), channel.preferredProtocol, ...allowed];
    const protocol = wishes.find((bit): bit is 1 | 2 => (allowed as (number | undefined)[]).includes(bit));
    const latencyMs = given.find((one) => one?.latency !== undefined)?.latency ?? limits.latency.default;
    return { protocol, latencyMs };
  };
  const [input, output] = [side('input'), side('output')];
  if (input.protocol === undefined || output.protocol === undefined) return null;
  const index = own?.input?.['stream-index'] ?? global.input?.['stream-index'] ?? 0;
  const bufferMs = own?.output?.['buffer-ms'] ?? global.output?.['buffer-ms'] ?? 0;
  const word = (bit: number) => (bit === srt ? 'srt' : 'rtmp');
  return {
    input: { protocol: word(input.protocol), latencyMs: input.latencyMs, stream: index === 1 ? 'sub' : 'main' },
    output: { protocol: word(output.protocol), latencyMs: output.latencyMs, bufferMs },
  };
}
