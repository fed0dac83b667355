import { expect, test } from 'bun:test';
import { connectionStates, sourceStates } from '../../contract/streams.ts';
import { createLog } from '../../lib/log.ts';
import type { Backoff } from './backoff.ts';
import { type Attempt, type AttemptEvents, Connection, type Termination } from './connection.ts';

const refused: Termination = {
  conn: connectionStates.tcpFailed,
  reason: 'refused',
  permanent: false,
  text: 'nobody listens',
};

function setUp(delayMs = 1) {
  const lines: string[] = [];
  const opened: { events: AttemptEvents; attempt: Attempt & { bytes: number; closed: string } }[] = [];
  const waiting: (() => void)[] = [];
  const backoff: Backoff & { permanent: boolean[] } = {
    permanent: [],
    next(permanent) {
      this.permanent.push(permanent);
      return delayMs;
    },
    ended: () => undefined,
  };
  const connection = new Connection({
    name: 'output 1',
    log: createLog('debug', (line) => lines.push(line)),
    onChange: () => undefined,
    backoff,
    open(events) {
      const attempt = {
        bytes: 0,
        skipped: 0,
        closed: '',
        close(reason: string) {
          attempt.closed = reason;
        },
      };
      opened.push({ events, attempt });
      waiting.shift()?.();
      return attempt;
    },
  });
  const nextAttempt = () => new Promise<void>((resolve) => waiting.push(resolve));
  return { connection, lines, opened, backoff, nextAttempt };
}

test('a connection that is switched on connects, and reports it once', () => {
  const { connection, lines, opened } = setUp();
  expect(connection.status()).toMatchObject({ conn: connectionStates.waiting, reason: 'switchedOff' });
  connection.want(true, 'switchedOff');
  expect(connection.status()).toMatchObject({ conn: connectionStates.connecting, state: sourceStates.initializing });
  opened[0]!.events.connected();
  expect(connection.status()).toMatchObject({
    conn: connectionStates.connected,
    state: sourceStates.running,
    reconnects: 0,
  });
  expect(lines.filter((line) => line.includes('connected'))).toHaveLength(1);
});

test('a failed attempt is retried, and its reason stays visible meanwhile', async () => {
  const { connection, opened, nextAttempt } = setUp();
  connection.want(true, 'switchedOff');
  const again = nextAttempt();
  opened[0]!.events.ended(refused);
  const failed = connection.status();
  expect(failed).toMatchObject({ conn: connectionStates.tcpFailed, state: sourceStates.failed, reason: 'refused' });
  expect(failed.retryInMs).toBeDefined();
  await again;
  expect(connection.status()).toMatchObject({ conn: connectionStates.connecting, reason: 'refused', reconnects: 1 });
  connection.close('end');
});

test('the backoff learns of permanent causes', () => {
  const { connection, opened, backoff } = setUp(60_000);
  connection.want(true, 'switchedOff');
  opened[0]!.events.ended({ ...refused, reason: 'dnsFailed', permanent: true });
  expect(backoff.permanent).toEqual([true]);
  connection.close('end');
});

test('the byte count continues across attempts', async () => {
  const { connection, opened, nextAttempt } = setUp();
  connection.want(true, 'switchedOff');
  opened[0]!.attempt.bytes = 700;
  const again = nextAttempt();
  opened[0]!.events.ended(refused);
  await again;
  opened[1]!.attempt.bytes = 30;
  expect(connection.bytes).toBe(730);
  connection.close('end');
});

test('switching off closes the attempt and stops waiting for the next one', () => {
  const { connection, opened } = setUp(60_000);
  connection.want(true, 'switchedOff');
  connection.want(false, 'noInput');
  expect(opened[0]!.attempt.closed).toBe('noInput');
  expect(connection.status()).toMatchObject({
    conn: connectionStates.waiting,
    state: sourceStates.offline,
    reason: 'noInput',
  });
});

test('an idle connection is open and shows as off; it becomes active without reconnecting, and failures show at once', async () => {
  const { connection, opened } = setUp(60_000);
  const off = { conn: connectionStates.waiting, state: sourceStates.offline, reason: 'noInput' } as const;
  connection.want(true, 'noInput', true);
  expect(opened).toHaveLength(1);
  expect(connection.status()).toMatchObject(off);
  opened[0]!.events.connected();
  expect(connection.status()).toMatchObject(off);
  expect(connection.readings()).toBeUndefined();
  connection.want(true, 'noInput');
  expect(opened).toHaveLength(1);
  expect(connection.status()).toMatchObject({ conn: connectionStates.connected, state: sourceStates.running });
  connection.want(true, 'noInput', true);
  expect(connection.status()).toMatchObject(off);
  opened[0]!.events.ended(refused);
  expect(connection.status()).toMatchObject({ conn: connectionStates.tcpFailed, state: sourceStates.failed });
  // There is something to send, so it waits no longer.
  connection.want(true, 'noInput');
  expect(opened).toHaveLength(2);
  connection.close('end');
});

test('a late end of an earlier attempt is ignored', () => {
  const { connection, opened } = setUp(60_000);
  connection.want(true, 'switchedOff');
  connection.want(false, 'switchedOff');
  connection.want(true, 'switchedOff');
  opened[0]!.events.ended(refused);
  opened[0]!.events.connected();
  expect(opened).toHaveLength(2);
  expect(connection.status().conn).toBe(connectionStates.connecting);
  connection.close('end');
});

test('an attempt may connect and end while it is being opened', () => {
  const states: number[] = [];
  const connection: Connection = new Connection({
    name: 'output 1',
    log: createLog('error', () => undefined),
    onChange: () => states.push(connection.status().conn),
    backoff: { next: () => 60_000, ended: () => undefined },
    open(events) {
      events.connected();
      events.ended(refused);
      events.connected();
      return { bytes: 5, skipped: 2, close: () => undefined };
    },
  });
  connection.want(true, 'switchedOff');
  expect(states).toEqual([connectionStates.connecting, connectionStates.connected, connectionStates.tcpFailed]);
  expect(connection.status()).toMatchObject({ reason: 'refused', bytes: 5, skipped: 2, retryInMs: expect.any(Number) });
  connection.close('end');
});

test('an attempt that is unwanted by the time it is open is closed', () => {
  const closed: string[] = [];
  const connection: Connection = new Connection({
    name: 'output 1',
    log: createLog('error', () => undefined),
    onChange: () => undefined,
    open(events) {
      connection.want(false, 'noInput');
      events.connected();
      return { bytes: 0, skipped: 0, close: (reason) => closed.push(reason) };
    },
  });
  connection.want(true, 'switchedOff');
  expect(closed).toEqual(['noInput']);
  expect(connection.status()).toMatchObject({ conn: connectionStates.waiting, reason: 'noInput' });
});

test('only the first end of an attempt counts', () => {
  const { connection, opened, backoff } = setUp(60_000);
  connection.want(true, 'switchedOff');
  opened[0]!.events.ended(refused);
  opened[0]!.events.ended({ ...refused, permanent: true });
  opened[0]!.events.connected();
  expect(connection.status()).toMatchObject({ conn: connectionStates.tcpFailed, reason: 'refused' });
  expect(backoff.permanent).toEqual([false]);
  connection.close('end');
});

test('a closed connection stays closed', () => {
  const { connection, opened } = setUp();
  connection.close('output removed');
  connection.want(true, 'switchedOff');
  expect(opened).toHaveLength(0);
});

test('an attempt that cannot even start counts as failed and is retried', async () => {
  const waits: boolean[] = [];
  const started = Promise.withResolvers<void>();
  let attempts = 0;
  const connection = new Connection({
    name: 'output 1',
    log: createLog('error', () => undefined),
    onChange: () => undefined,
    backoff: {
      next(permanent) {
        waits.push(permanent);
        return 1;
      },
      ended: () => undefined,
    },
    open() {
      if (++attempts === 1) throw new Error('too many open files');
      started.resolve();
      return { bytes: 0, skipped: 0, close: () => undefined };
    },
  });
  connection.want(true, 'switchedOff');
  expect(connection.status()).toMatchObject({ conn: connectionStates.creationFailed, reason: 'internal' });
  await started.promise;
  expect(connection.status()).toMatchObject({ conn: connectionStates.connecting });
  expect(waits).toEqual([false]);
  connection.close('end');
});

test('an attempt is opened when it may be, and not at all if it is switched off before', async () => {
  let may = Promise.withResolvers<void>();
  const opened: number[] = [];
  const closed: string[] = [];
  const connection = new Connection({
    name: 'output 1',
    log: createLog('error', () => undefined),
    onChange: () => undefined,
    ready: () => may.promise,
    open(events) {
      events.connected();
      return { bytes: opened.push(7), skipped: 1, clients: 2, close: (reason) => closed.push(reason) };
    },
  });
  connection.want(true, 'switchedOff');
  connection.want(false, 'switchedOff');
  may.resolve();
  await may.promise;
  expect(opened).toEqual([]);
  may = Promise.withResolvers<void>();
  connection.want(true, 'switchedOff');
  expect(connection.status()).toMatchObject({ conn: connectionStates.connecting, bytes: 0 });
  may.resolve();
  await may.promise;
  expect(connection.status()).toMatchObject({ conn: connectionStates.connected, bytes: 1, skipped: 1, clients: 2 });
  connection.close('off');
  expect(closed).toEqual(['off']);
});

test('an attempt that cannot start on schedule counts as failed', async () => {
  const connection = new Connection({
    name: 'output 1',
    log: createLog('error', () => undefined),
    onChange: () => undefined,
    backoff: { next: () => 60_000, ended: () => undefined },
    ready: () => Promise.resolve(),
    open() {
      throw new Error('too many open files');
    },
  });
  connection.want(true, 'switchedOff');
  await Bun.sleep(0);
  expect(connection.status()).toMatchObject({ conn: connectionStates.creationFailed, reason: 'internal' });
  connection.close('end');
});
