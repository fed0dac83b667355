import { expect, test } from 'bun:test';
import type { Channel } from '../../../../../daemon/contract/channels.ts';
import type { Device } from '../../../../../daemon/contract/devices.ts';
import { connectionStates, nodeTypes } from '../../../../../daemon/contract/streams.ts';
import { signalPaths } from './signal-path.ts';

const device = (id: number, more: Partial<Device> = {}) =>
  ({
    ...{ id, sn: `SN${id}`, name: `Device ${id}`, 'reg-state': 101, connection: 'online', 'dev-warns': 0, figures: {} },
    ...more,
  }) as unknown as Device;
const input = (more: object) => ({ role: 'main', id: 0, name: '', type: 260, 'conn-state': 10, kbps: 900, ...more });
const output = (id: number, state: number, enable = true) => ({
  ...{ id, name: `Output ${id}`, 'conn-state': state, enable, kbps: enable ? 900 : 0 },
});
const channel = (more: object = {}) =>
  ({
    ...{ id: 7, name: 'Service', state: 'live', kbps: 900, input: input({}) },
    ...{ outputs: { list: [], total: 0 }, clients: { list: [], total: 0 } },
    ...more,
  }) as unknown as Channel;

const shapeOf = (paths: ReturnType<typeof signalPaths>) =>
  paths.map(({ stages }) =>
    stages.map((nodes) =>
      nodes.map(({ kind, name, count, look, path, isHere }) =>
        [kind, name ?? count ?? '-', look?.tone ?? '-', path ?? '-', isHere ? 'here' : ''].join(' ').trim(),
      ),
    ),
  );

test('an encoder feeds its channel, which feeds decoders, outputs and other players', () => {
  const encoder = device(1, { 'owner-i': ['Service'], 'owner-i-d': [7] });
  const decoder = device(2, { 'owner-o': ['Service'], 'owner-o-d': [7], connection: 'offline' });
  const outputs = [output(11, connectionStates.connected), output(12, connectionStates.failed), output(13, 0, false)];
  const service = channel({ outputs: { list: outputs, total: 3 }, clients: { list: [], total: 3 } });
  expect(shapeOf(signalPaths(encoder, { channels: [service], devices: [encoder, decoder] }))).toEqual([
    [
      ['device Device 1 live - here'],
      ['channel Service live /stream/channel/detail/7'],
      [
        'device Device 2 fault /device/detail/SN2',
        'output Output 11 live /stream/channel/detail/7',
        'output Output 12 fault /stream/channel/detail/7',
        'output Output 13 off /stream/channel/detail/7',
        'players 3 - /stream/channel/detail/7',
      ],
    ],
  ]);
});

test('a decoder gets its channel, whose inputs are devices, named inputs or publishers', () => {
  const encoder = device(1, { 'owner-i': ['Service'], 'owner-i-d': [7] });
  const decoder = device(2, { 'owner-o': ['Service'], 'owner-o-d': [7] });
  const devices = [encoder, decoder];
  const sources = (more: object) =>
    shapeOf(signalPaths(decoder, { channels: [channel(more)], devices }))[0]?.[0]?.map((text) => text.split(' /')[0]);
  expect(sources({})).toEqual(['input - live']);
  const fromDevice = input({ id: 1, type: nodeTypes.inputDevice });
  expect(sources({ input: fromDevice })).toEqual(['device Device 1 live']);
  const backup = input({ role: 'backup', id: 5, name: 'Radio link', 'conn-state': connectionStates.failed });
  expect(sources({ input: backup, failover: { active: 'backup', main: fromDevice, backup } })).toEqual([
    'input Radio link fault',
    'device Device 1 live',
  ]);
});

test('without the permission to see channels only their names are shown', () => {
  const encoder = device(1, { 'owner-i': ['Service'], 'owner-i-d': [7] });
  expect(shapeOf(signalPaths(encoder, { channels: undefined, devices: [encoder] }))).toEqual([
    [['device Device 1 live - here'], ['channel Service - -'], []],
  ]);
  expect(signalPaths(device(3), { channels: undefined, devices: [] })).toEqual([]);
});
