import { expect, test } from 'bun:test';
import type { Alarm, AlarmKind } from '../../../../daemon/contract/alarms.ts';
import type { Channel, ChannelState } from '../../../../daemon/contract/channels.ts';
import { alarmsBeside, attentionOf } from './attention.ts';

function channel(state: ChannelState, outputs: object[] = []): Channel {
  const input = { reason: 'stalled' };
  return { id: 1, name: 'Roof', state, input, outputs: { list: outputs } } as unknown as Channel;
}

const broken = { id: 7, name: 'CDN', enable: true, 'conn-state': 21, reason: 'timeout' };

test('a silent channel needs attention, with its reason', () => {
  expect(attentionOf([channel('stale')])).toMatchObject([{ key: '1', reason: 'stalled' }]);
});

test('a live channel needs attention only for its broken outputs', () => {
  expect(attentionOf([channel('live')])).toEqual([]);
  expect(attentionOf([channel('live', [broken])])).toMatchObject([{ outputName: 'CDN', reason: 'timeout' }]);
});

test('an output that is switched off, or has nothing to send, is not a fault', () => {
  expect(attentionOf([channel('live', [{ ...broken, enable: false }])])).toEqual([]);
  expect(attentionOf([channel('waiting', [broken])])).toEqual([]);
});

test('an alarm is listed unless the state of its channel or output already shows it', () => {
  const alarm = (kind: AlarmKind, output?: number) =>
    ({ kind, channel: 1, ...(output && { output: { id: output } }) }) as Alarm;
  const alarms = [
    alarm('no-input'),
    alarm('no-audio'),
    alarm('output-failed', 7),
    alarm('engine-down'),
    alarm('no-space'),
  ];
  const kinds = (list: Channel[]) => alarmsBeside(attentionOf(list), alarms).map(({ kind }) => kind);
  expect(kinds([channel('stale')])).toEqual(['no-audio', 'output-failed']);
  expect(kinds([channel('live', [broken])])).toEqual(['no-input', 'no-audio']);
  expect(alarmsBeside([], [alarm('engine-replaced')])).toHaveLength(1);
});
