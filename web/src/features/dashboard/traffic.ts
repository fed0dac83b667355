import type { Channel } from '../../../../daemon/contract/channels.ts';

/** Kilobits per second into and out of all channels. */
export function trafficOf(channels: readonly Channel[]): { in: number; out: number } {
  const sum = (legs: readonly { kbps: number }[]) => legs.reduce((total, leg) => total + leg.kbps, 0);
  return {
    in: channels.reduce((total, channel) => total + channel.input.kbps, 0),
    out: channels.reduce((total, channel) => total + sum(channel.outputs.list) + sum(channel.clients.list), 0),
  };
}
