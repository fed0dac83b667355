import { expect, test } from 'bun:test';
import type { Alarm } from '../../../../daemon/contract/alarms.ts';
import { callsForAttention, newCalls, stillKnown } from './alarm-state.ts';

const alarm = (id: number, more: Partial<Alarm> = {}) => ({ id, cleared: 0, ...more }) as Alarm;

test('an alarm calls for attention until it is cleared, acknowledged or muted', () => {
  expect(callsForAttention(alarm(1), 100)).toBe(true);
  expect(callsForAttention(alarm(1, { cleared: 90 }), 100)).toBe(false);
  expect(callsForAttention(alarm(1, { acknowledged: { by: 'Ann', time: 1 } }), 100)).toBe(false);
  expect(callsForAttention(alarm(1, { 'muted-until': 0 }), 100)).toBe(false);
  expect(callsForAttention(alarm(1, { 'muted-until': 101 }), 100)).toBe(false);
  expect(callsForAttention(alarm(1, { 'muted-until': 100 }), 100)).toBe(true);
});

test('an alarm is new once, and never when the page opens', () => {
  const alarms = [alarm(1), alarm(2), alarm(3, { 'muted-until': 0 })];
  expect(newCalls(undefined, alarms, 0)).toEqual([]);
  expect(newCalls(new Set([1]), alarms, 0).map(({ id }) => id)).toEqual([2]);
});

test('known alarms stay known while they are away, but not forever', () => {
  const first = stillKnown(undefined, [alarm(1), alarm(2)]);
  expect([...stillKnown(first, [])]).toEqual([1, 2]);
  const many = stillKnown(new Set(Array.from({ length: 10_000 }, (_, at) => at)), [alarm(10_000)]);
  expect([many.size, many.has(10_000), many.has(1)]).toEqual([4096, true, false]);
});
