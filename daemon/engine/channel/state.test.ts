import { expect, test } from 'bun:test';
import type { Publisher } from './publisher.ts';
import { type InputEvent, type InputState, nextState, off, publisherOf } from './state.ts';

const publisher = { protocol: 'rtmp' } as Publisher;
const other = { protocol: 'srt' } as Publisher;

const states = {
  off: { is: 'off', end: 'closedByPeer' },
  closing: { is: 'closing', publisher },
  waiting: { is: 'waiting', end: 'closedByPeer' },
  publishing: { is: 'publishing', publisher },
  replacing: { is: 'replacing', publisher, reason: 'replaced', seconds: 2 },
} as const satisfies Record<InputState['is'], InputState>;

const events = {
  on: { event: 'on' },
  off: { event: 'off' },
  begin: { event: 'begin', publisher: other },
  replace: { event: 'begin', publisher: other, replaces: 'stalled' },
  end: { event: 'end', publisher, reason: 'noData' },
  'end of another': { event: 'end', publisher: other, reason: 'noData' },
  flow: { event: 'flow' },
} as const satisfies Record<string, InputEvent>;

/** Every state with every event; '-': the event has no meaning and the state stays the same object. */
const table = {
  off: { on: 'waiting', off: '-', begin: '-', replace: '-', end: '-', 'end of another': '-', flow: '-' },
  closing: { on: 'publishing', off: '-', begin: '-', replace: '-', end: 'off', 'end of another': '-', flow: '-' },
  waiting: {
    ...{ on: '-', off: 'off', begin: 'publishing', replace: 'replacing' },
    ...{ end: '-', 'end of another': '-', flow: '-' },
  },
  publishing: {
    ...{ on: '-', off: 'closing', begin: '-', replace: '-' },
    ...{ end: 'waiting', 'end of another': '-', flow: '-' },
  },
  replacing: {
    ...{ on: '-', off: 'closing', begin: '-', replace: '-' },
    ...{ end: 'waiting', 'end of another': '-', flow: 'replacing' },
  },
} as const satisfies Record<InputState['is'], Record<keyof typeof events, InputState['is'] | '-'>>;

const rows = Object.values(states).flatMap((state) =>
  Object.entries(table[state.is]).map(([event, is]) => [state.is, event as keyof typeof events, is] as const),
);

test.each(rows)('%s, %s: %s', (is, event, expected) => {
  const state = states[is];
  const next = nextState(state, events[event]);
  if (expected === '-') expect(next).toBe(state);
  else expect(next.is).toBe(expected);
});

test('why the last publisher left stays visible, also while the input is off, until another one begins', () => {
  const waiting = nextState(states.publishing, events.end);
  const again = nextState(nextState(waiting, events.off), events.on);
  expect([waiting, again]).toEqual([
    { is: 'waiting', end: 'noData' },
    { is: 'waiting', end: 'noData' },
  ]);
  const ended = nextState(nextState(again, events.begin), { event: 'end', publisher: other, reason: 'switchedOff' });
  expect(ended).toEqual({ is: 'waiting', end: undefined });
});

test('a replacement is shown until the third second of flow', () => {
  let state: InputState = nextState(states.waiting, events.replace);
  const shown: string[] = [];
  for (let second = 0; second < 4; second++) {
    shown.push(state.is);
    state = nextState(state, events.flow);
  }
  expect(shown).toEqual(['replacing', 'replacing', 'replacing', 'publishing']);
});

test('a publisher is current from its beginning to its end', () => {
  const current = Object.values(states).filter((state) => publisherOf(state) === publisher);
  expect(current.map(({ is }) => is)).toEqual(['closing', 'publishing', 'replacing']);
  expect(publisherOf(off)).toBeUndefined();
});
