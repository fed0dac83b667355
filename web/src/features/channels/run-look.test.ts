import { expect, test } from 'bun:test';
import { channelLooks, connectionLooks, stoppedLook } from '../../shared/streams/state-look.ts';
import { runLook } from './run-look.ts';

test('a state looks the same as elsewhere on the page', () => {
  expect(runLook('channel', 'waiting')).toBe(channelLooks.waiting);
  expect(runLook('output', 'waiting')).toBe(connectionLooks.waiting);
  expect(runLook('input', 'dnsFailed')).toBe(connectionLooks.dnsFailed);
});

test('what was switched off is stopped, not waiting', () => {
  expect(runLook('output', 'waiting', 'switchedOff')).toBe(stoppedLook);
});

test('no state and an unknown state have no look', () => {
  expect(runLook('channel', '')).toBeUndefined();
  expect(runLook('channel', 'dnsFailed')).toBeUndefined();
  expect(runLook('output', 'toString')).toBeUndefined();
});
