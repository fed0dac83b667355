import { expect, test } from 'bun:test';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import { playersByProtocol, trafficOf } from './traffic.ts';

function channel(kbps: number, outputs: number[], clients: [protocol: number, kbps: number][]): Channel {
  return {
    input: { kbps },
    outputs: { list: outputs.map((rate) => ({ kbps: rate })) },
    clients: { list: clients.map(([protocol, rate]) => ({ protocol, kbps: rate })) },
  } as unknown as Channel;
}

const channels = [
  channel(6000, [6000, 0], [[1, 5900]]),
  channel(
    2000,
    [],
    [
      [2, 2000],
      [2, 1900],
    ],
  ),
];

test('the outgoing rate is the sum over outputs and players', () => {
  expect(trafficOf(channels)).toEqual({ in: 8000, out: 15_800 });
});

test('players are counted by protocol', () => {
  expect(playersByProtocol(channels)).toEqual({ rtmp: 1, srt: 2 });
  expect(playersByProtocol([])).toEqual({});
});
