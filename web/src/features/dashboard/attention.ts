import type { Alarm } from '../../../../daemon/contract/alarms.ts';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import { channelLooks, isOutputFaulty, outputLook, type StateLook } from '../../shared/streams/state-look.ts';

interface Attention {
  readonly key: string;
  readonly channel: Channel;
  /** The faulty output; if absent, the channel's input is faulty. */
  readonly outputName?: string;
  readonly look: StateLook;
  readonly reason: string | undefined;
}

const faultyStates = new Set(['failed', 'engineDown', 'stale']);

/** Everything that should be running but is not, in channel order. */
export function attentionOf(channels: readonly Channel[]): Attention[] {
  return channels.flatMap((channel) => {
    const list: Attention[] = [];
    if (faultyStates.has(channel.state)) {
      list.push({
        key: `${channel.id}`,
        channel,
        look: channelLooks[channel.state],
        reason: channel.input.reason,
      });
    }
    for (const output of channel.state === 'live' ? channel.outputs.list : []) {
      if (!isOutputFaulty(output)) continue;
      const key = `${channel.id}/${output.id}`;
      list.push({ key, channel, outputName: output.name, look: outputLook(output), reason: output.reason });
    }
    return list;
  });
}

/** Alarms already shown in a banner with their remedy. */
const inBanners: ReadonlySet<string> = new Set(['engine-down', 'few-descriptors', 'no-space']);

/** Alarms not already covered by channel states or banners. */
export function alarmsBeside(list: readonly Attention[], alarms: readonly Alarm[]): Alarm[] {
  const listed = new Set(list.map(({ key }) => key));
  return alarms.filter(({ kind, channel, output }) => {
    if (inBanners.has(kind)) return false;
    if (kind === 'output-failed') return !listed.has(`${channel}/${output?.id}`);
    return kind !== 'no-input' || !listed.has(`${channel}`);
  });
}
