import type { Alarm } from '../../../../daemon/contract/alarms.ts';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import { channelLooks, isOutputFaulty, type Look, outputLook } from '../channels/state-look.ts';

export interface Attention {
  readonly key: string;
  readonly channel: Channel;
  /** The output that is faulty; without it the channel's input is. */
  readonly outputName?: string;
  readonly look: Look;
  readonly reason: string | undefined;
}

const faultyStates = new Set(['failed', 'engineDown', 'stale']);

/** What ought to run and doesn't, in the order of the channels. */
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

/** What stands above everything with its remedy. */
const inBanners: ReadonlySet<string> = new Set(['engine-down', 'few-descriptors', 'no-space']);

/** Alarms that say more than the states of the channels and the banners do. */
export function alarmsBeside(list: readonly Attention[], alarms: readonly Alarm[]): Alarm[] {
  const said = new Set(list.map(({ key }) => key));
  return alarms.filter(({ kind, channel, output }) => {
    if (inBanners.has(kind)) return false;
    if (kind === 'output-failed') return !said.has(`${channel}/${output?.id}`);
    return kind !== 'no-input' || !said.has(`${channel}`);
  });
}
