import { expect, test } from 'bun:test';
import { connectionStates, sourceStates } from '../contract/streams.ts';
import { createLog } from '../lib/log.ts';
import type { Backoff } from './backoff.ts';
import { type Attempt, type AttemptEvents, Leg, type LegEnd } from './leg.ts';

const refused: LegEnd = {
  conn: connectionStates.tcpFailed,
  reason: 'refused',
  hopeless: false,
  text: 'nobody listens',
};

function setUp(delayMs = 1) {
  const lines: string[] = [];
  const opened: { events: AttemptEvents; attempt: Attempt & { bytes: number; closed: string } }[] = [];
  const waiting: (() => void)[] = [];
  const backoff: Backoff & { hopeless: boolean[] } = {
    hopeless: [],
    next(hopeless) {
      this.hopeless.push(hopeless);
      return delayMs;
    },
    ended: () => undefined,
  };
  const leg = new Leg({
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
  return { leg, lines, opened, backoff, nextAttempt };
}

test('a leg that is switched on connects, and says so once', () => {
  const { leg, lines, opened } = setUp();
  expect(leg.status()).toMatchObject({ conn: connectionStates.waiting, reason: 'switchedOff' });
  leg.want(true, 'switchedOff');
  expect(leg.status()).toMatchObject({ conn: connectionStates.connecting, state: sourceStates.initializing });
  opened[0]!.events.connected();
  expect(leg.status()).toMatchObject({ conn: connectionStates.connected, state: sourceStates.running, reconnects: 0 });
  expect(lines.filter((line) => line.includes('connected'))).toHaveLength(1);
});

test('a failed attempt is tried again, and its reason stays visible meanwhile', async () => {
  const { leg, opened, nextAttempt } = setUp();
  leg.want(true, 'switchedOff');
  const again = nextAttempt();
  opened[0]!.events.ended(refused);
  const failed = leg.status();
  expect(failed).toMatchObject({ conn: connectionStates.tcpFailed, state: sourceStates.failed, reason: 'refused' });
  expect(failed.retryInMs).toBeDefined();
  await again;
  expect(leg.status()).toMatchObject({ conn: connectionStates.connecting, reason: 'refused', reconnects: 1 });
  leg.close('end');
});

test('hopeless causes are told to the backoff', () => {
  const { leg, opened, backoff } = setUp(60_000);
  leg.want(true, 'switchedOff');
  opened[0]!.events.ended({ ...refused, reason: 'dnsFailed', hopeless: true });
  expect(backoff.hopeless).toEqual([true]);
  leg.close('end');
});

test('bytes of earlier attempts count on', async () => {
  const { leg, opened, nextAttempt } = setUp();
  leg.want(true, 'switchedOff');
  opened[0]!.attempt.bytes = 700;
  const again = nextAttempt();
  opened[0]!.events.ended(refused);
  await again;
  opened[1]!.attempt.bytes = 30;
  expect(leg.bytes).toBe(730);
  leg.close('end');
});

test('switching off closes the attempt and ends waiting', () => {
  const { leg, opened } = setUp(60_000);
  leg.want(true, 'switchedOff');
  leg.want(false, 'noInput');
  expect(opened[0]!.attempt.closed).toBe('noInput');
  expect(leg.status()).toMatchObject({
    conn: connectionStates.waiting,
    state: sourceStates.offline,
    reason: 'noInput',
  });
});

test('an idle leg is open and shows as off; what comes finds it, and a fault is no secret', async () => {
  const { leg, opened } = setUp(60_000);
  const off = { conn: connectionStates.waiting, state: sourceStates.offline, reason: 'noInput' } as const;
  leg.want(true, 'noInput', true);
  expect(opened).toHaveLength(1);
  expect(leg.status()).toMatchObject(off);
  opened[0]!.events.connected();
  expect(leg.status()).toMatchObject(off);
  expect(leg.readings()).toBeUndefined();
  leg.want(true, 'noInput');
  expect(opened).toHaveLength(1);
  expect(leg.status()).toMatchObject({ conn: connectionStates.connected, state: sourceStates.running });
  leg.want(true, 'noInput', true);
  expect(leg.status()).toMatchObject(off);
  opened[0]!.events.ended(refused);
  expect(leg.status()).toMatchObject({ conn: connectionStates.tcpFailed, state: sourceStates.failed });
  // There is something to send: it waits no longer.
  leg.want(true, 'noInput');
  expect(opened).toHaveLength(2);
  leg.close('end');
});

test('an attempt that ends after its time is not heard', () => {
  const { leg, opened } = setUp(60_000);
  leg.want(true, 'switchedOff');
  leg.want(false, 'switchedOff');
  leg.want(true, 'switchedOff');
  opened[0]!.events.ended(refused);
  opened[0]!.events.connected();
  expect(opened).toHaveLength(2);
  expect(leg.status().conn).toBe(connectionStates.connecting);
  leg.close('end');
});

test('a closed leg stays closed', () => {
  const { leg, opened } = setUp();
  leg.close('output removed');
  leg.want(true, 'switchedOff');
  expect(opened).toHaveLength(0);
});

test('an attempt that can not even begin has failed like any other, and is made again', async () => {
  const waits: boolean[] = [];
  const begun = Promise.withResolvers<void>();
  let attempts = 0;
  const leg = new Leg({
    name: 'output 1',
    log: createLog('error', () => undefined),
    onChange: () => undefined,
    backoff: {
      next(hopeless) {
        waits.push(hopeless);
        return 1;
      },
      ended: () => undefined,
    },
    open() {
      if (++attempts === 1) throw new Error('too many open files');
      begun.resolve();
      return { bytes: 0, skipped: 0, close: () => undefined };
    },
  });
  leg.want(true, 'switchedOff');
  expect(leg.status()).toMatchObject({ conn: connectionStates.creationFailed, reason: 'internal' });
  await begun.promise;
  expect(leg.status()).toMatchObject({ conn: connectionStates.connecting });
  expect(waits).toEqual([false]);
  leg.close('end');
});
