import type { Channel } from '../../../../daemon/contract/channels.ts';
import { type Protocol, protocolOf } from '../../../../daemon/contract/streams.ts';

/** Kilobits per second into and out of all channels. */
export function trafficOf(channels: readonly Channel[]): { in: number; out: number } {
  const sum = (connections: readonly { kbps: number }[]) =>
    connections.reduce((total, connection) => total + connection.kbps, 0);
  return {
    in: channels.reduce((total, channel) => total + channel.input.kbps, 0),
    out: channels.reduce((total, channel) => total + sum(channel.outputs.list) + sum(channel.clients.list), 0),
  };
}

/** Players of all channels by protocol; protocols without players are omitted. */
export function playersByProtocol(channels: readonly Channel[]): Partial<Record<Protocol, number>> {
  const counts: Partial<Record<Protocol, number>> = {};
  for (const { protocol } of channels.flatMap((channel) => channel.clients.list)) {
    const name = protocolOf(protocol);
    if (name !== undefined) counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
