import { expect, test } from 'bun:test';
import { recorded } from '../../../tests/sim/devices/recorded.ts';
import type { DeviceFacts } from '../../contract/device-facts.ts';
import { Answer } from '../answer.ts';
import { factsOf, infoOf } from './facts.ts';

const info = infoOf(new Answer(recorded('usapi/encode.get-info')));
const statusOf = (change: object): DeviceFacts =>
  factsOf(info, new Answer({ ...recorded('usapi/encode.get-status-idle'), ...change }), undefined);

test.each(['is-skd-running', 'is-skd-runnung'])(
  'a server that the schedule of the device started runs (%s)',
  async (flag) => {
    const entry = { id: 7, type: 121, name: 'Scheduled', 'is-use': 0, [flag]: 1, result: 22, 'num-clients': 2 };
    const { living, streams } = statusOf({ 'live-status': { result: 27, live: [entry] } });
    expect(living).toBe(false);
    expect(streams).toMatchObject([{ id: '7', protocol: 'SRT listener', state: 'running', clients: 2 }]);
  },
);

test.each([
  [22, 'running', undefined],
  [23, 'connecting', undefined],
  [24, 'connecting', undefined],
  [27, 'off', undefined],
  [29, 'failed', 'the address is not set'],
  [30, 'failed', 'the server refused user name or password'],
  [-21, 'failed', 'network error'],
])('a server with the result %d is %s', (result, state, reason) => {
  const live = [{ id: 1, type: 0, name: 'x', 'is-use': 1, result }];
  const { streams } = statusOf({ 'cur-status': 4, 'live-status': { result: 2, live } });
  expect<unknown[]>([streams[0]?.state, streams[0]?.reason]).toEqual([state, reason]);
});

test.each<[number, DeviceFacts['tasks']]>([
  [0x4000, ['updating']],
  [0x400_0000, ['resetting']],
  [0x2000_0000, ['rebooting']],
  [0x10_0000, ['formatting']],
  [0x20_0000, ['formatting']],
  [0x1000, ['testing']],
  [0x8000, ['testing']],
  [0x4000_0000, ['testing']],
  [0x100_0000, ['loading']],
  [0x10010, []],
  [0xc0_0000, []],
])('the bits %d of the state are the tasks %j', (mask, tasks) => {
  expect(statusOf({ 'cur-status': mask }).tasks).toEqual(tasks);
});

test('a full disk and a slow one are warnings', () => {
  const full = { 'disk-type': 1, 'total-size': 1000, 'free-size': 40, 'resv-size': 50 };
  expect(statusOf({ 'disk-info': [full] })).toMatchObject({
    warnings: ['diskFull'],
    disks: [{ kind: 'sd', state: 'full', 'free-bytes': 40 }],
  });
  expect(statusOf({ 'rec-status': { result: 3 } })).toMatchObject({ warnings: ['diskSlow'] });
  expect(statusOf({ 'rec-status': { result: 2, rec: [{ result: 4 }] } })).toMatchObject({
    warnings: ['diskFull'],
  });
});

test('no figure is infinite, whatever the device states', () => {
  const facts = statusOf({
    sysstat: { 'mem-total': 1e-300, 'mem-free': 1e15, 'cpu-usage': '1e400' },
    'input-signal': { status: 1, 'frame-duration': 1e-308 },
  });
  expect([facts.memory, facts.cpu, facts.signal?.fps]).toEqual([undefined, undefined, undefined]);
});
