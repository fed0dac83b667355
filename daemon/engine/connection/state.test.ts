import { expect, test } from 'bun:test';
import { connectionStates } from '../../contract/streams.ts';
import { type ConnectionEvent, type ConnectionState, connOf, endOf, nextState, type Termination } from './state.ts';

const before: Termination = { conn: connectionStates.tcpFailed, reason: 'refused', permanent: false, text: 'before' };
const end: Termination = { conn: connectionStates.streamFailed, reason: 'noSync', permanent: true, text: 'now' };

const states = {
  off: { is: 'off' },
  connecting: { is: 'connecting', end: before },
  connected: { is: 'connected' },
  waiting: { is: 'waiting', end: before },
  closed: { is: 'closed' },
} as const satisfies Record<ConnectionState['is'], ConnectionState>;

/** Every state with every event; '-': the event has no meaning and the state stays the same object. */
const table = {
  off: { on: 'connecting', off: '-', connected: '-', ended: '-', retry: '-', close: 'closed' },
  connecting: { on: '-', off: 'off', connected: 'connected', ended: 'waiting', retry: '-', close: 'closed' },
  connected: { on: '-', off: 'off', connected: '-', ended: 'waiting', retry: '-', close: 'closed' },
  waiting: { on: '-', off: 'off', connected: '-', ended: '-', retry: 'connecting', close: 'closed' },
  closed: { on: '-', off: '-', connected: '-', ended: '-', retry: '-', close: '-' },
} as const satisfies Record<ConnectionState['is'], Record<ConnectionEvent['event'], ConnectionState['is'] | '-'>>;

const eventOf = (event: ConnectionEvent['event']): ConnectionEvent => (event === 'ended' ? { event, end } : { event });

const rows = Object.values(states).flatMap((state) =>
  Object.entries(table[state.is]).map(([event, is]) => [state.is, event as ConnectionEvent['event'], is] as const),
);

test.each(rows)('%s, %s: %s', (is, event, expected) => {
  const state = states[is];
  const next = nextState(state, eventOf(event));
  if (expected === '-') expect(next).toBe(state);
  else expect(next.is).toBe(expected);
});

test('the end of an attempt stays visible until the next attempt has an outcome', () => {
  const waiting = nextState(states.connected, eventOf('ended'));
  const connecting = nextState(waiting, eventOf('retry'));
  const connected = nextState(connecting, eventOf('connected'));
  expect([waiting, connecting, connected].map(endOf)).toEqual([end, end, undefined]);
  expect([waiting, connecting, connected].map(connOf)).toEqual([
    ...[connectionStates.streamFailed, connectionStates.connecting, connectionStates.connected],
  ]);
});

test('a connection that is switched on again starts without its earlier end', () => {
  const again = nextState(nextState(states.waiting, eventOf('off')), eventOf('on'));
  expect([connOf(again), endOf(again)]).toEqual([connectionStates.connecting, undefined]);
  expect(connOf(states.off)).toBe(connectionStates.waiting);
  expect(connOf(states.closed)).toBe(connectionStates.waiting);
});
