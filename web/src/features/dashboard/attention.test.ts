import { expect, test } from 'bun:test';
import type { Alarm, AlarmKind } from '../../../../daemon/contract/alarms.ts';
import type { Channel, ChannelState } from '../../../../daemon/contract/channels.ts';
import { attentionOf } from './attention.ts';

function channel(state: ChannelState, outputs: object[] = [], more: object = {}): Channel {
  const input = { reason: 'stalled', role: 'main' };
  const config = { enable: state !== 'disabled' };
  return { id: 1, name: 'Roof', state, config, input, outputs: { list: outputs }, ...more } as unknown as Channel;
}
const alarm = (kind: AlarmKind, more: object = {}) => ({ id: 1, kind, channel: 1, raised: 500, ...more }) as Alarm;

const broken = { id: 7, name: 'CDN', enable: true, 'conn-state': 21, reason: 'timeout', since: 300 };

test('a silent channel has lost its program', () => {
  expect(attentionOf([channel('stale', [], { since: 5 })], [])).toMatchObject([
    { severity: 'critical', main: { what: 'state', since: 5 }, others: [] },
  ]);
});

test('a channel on the slate has lost its program, even though it is live', () => {
  const onSlate = channel('live', [], { input: { role: 'slate' }, failover: { 'switched-at': 9 } });
  expect(attentionOf([onSlate], [alarm('on-slate')])).toMatchObject([
    { severity: 'critical', main: { what: 'slate', since: 9 }, others: [] },
  ]);
});

test('a live channel with failed outputs is one degraded entry', () => {
  expect(attentionOf([channel('live')], [])).toEqual([]);
  const outputs = [broken, { ...broken, id: 8, since: 200 }, { ...broken, id: 9, 'conn-state': 10 }];
  const list = attentionOf([channel('live', outputs)], []);
  expect(list).toMatchObject([{ severity: 'warning', main: { what: 'outputs', since: 200 } }]);
  expect(list[0]?.main).toHaveProperty('failed.length', 2);
});

test('an output with an alarm counts as failed while it connects again', () => {
  const connecting = { ...broken, 'conn-state': 1 };
  const failed = alarm('output-failed', { output: { id: 7, name: 'CDN' } });
  expect(attentionOf([channel('live', [connecting])], [failed])).toMatchObject([{ main: { what: 'outputs' } }]);
});

test('an output that is switched off, or has nothing to send, is not a fault', () => {
  expect(attentionOf([channel('live', [{ ...broken, enable: false }])], [])).toEqual([]);
  expect(attentionOf([channel('waiting', [broken])], [])).toEqual([]);
});

test('lost programs come first, then the newest', () => {
  const named = (id: number, one: Channel) => ({ ...one, id });
  const list = attentionOf(
    [
      named(1, channel('live', [broken])),
      named(2, channel('failed', [], { since: 100 })),
      named(3, channel('stale', [], { since: 200 })),
      named(4, channel('waiting')),
      named(5, channel('live')),
    ],
    [alarm('no-input', { channel: 4, raised: 150 }), alarm('no-audio', { channel: 5 })],
  );
  expect(list.map(({ channel }) => channel?.id)).toEqual([3, 4, 2, 5, 1]);
});

test('an alarm that the state shows is not repeated; others stay beside it', () => {
  const list = attentionOf([channel('stale')], [alarm('no-input'), alarm('no-audio')]);
  expect(list).toMatchObject([{ main: { what: 'state' }, others: [{ alarm: { kind: 'no-audio' } }] }]);
});

test('an alarm of the hub is listed unless a banner shows it', () => {
  const alarms = (['engine-replaced', 'engine-down', 'no-space', 'few-descriptors'] as const).map((kind) =>
    alarm(kind, { channel: 0 }),
  );
  expect(attentionOf([], alarms)).toMatchObject([{ channel: undefined, main: { alarm: { kind: 'engine-replaced' } } }]);
});

test('a device is one entry with all its alarms, which are not those of the hub', () => {
  const of = (kind: AlarmKind, device: string, more: object = {}) => ({
    channel: 0,
    device,
    name: device,
    ...more,
    kind,
  });
  const list = attentionOf(
    [channel('stale', [], { since: 100 })],
    [
      alarm('device-hot', of('device-hot', 'A1')),
      alarm('device-offline', of('device-offline', 'B2', { raised: 900 })),
      alarm('device-storage', of('device-storage', 'A1')),
      alarm('device-offline', { channel: 0, name: '', raised: 700 }),
    ],
  );
  expect(list).toMatchObject([
    { severity: 'critical', channel: { name: 'Roof' } },
    { severity: 'warning', device: { sn: 'B2' } },
    { severity: 'warning', main: { alarm: { kind: 'device-offline', name: '' } } },
    { severity: 'warning', device: { sn: 'A1' }, main: { alarm: { kind: 'device-hot' } } },
  ]);
  expect(list[3]?.others).toMatchObject([{ alarm: { kind: 'device-storage' } }]);
});
