import { expect, test } from 'bun:test';
import { createConnectStagger, deferredAttempt } from './connect-stagger.ts';
import type { Attempt, Termination } from './connection/connection.ts';

const noEnd = () => {
  throw new Error('nothing ended');
};

test('a few connections to a host start at once, more are spread over a second, another host is unaffected', () => {
  let at = 0;
  let dice = 0;
  const stagger = createConnectStagger({ now: () => at, random: () => (dice += 0.1) });
  const delays = Array.from({ length: 6 }, () => stagger.delayFor('encoder'));
  expect(delays.map(Math.round)).toEqual([0, 0, 0, 100, 200, 300]);
  expect(stagger.delayFor('another')).toBe(0);
  at = 1001;
  expect(stagger.delayFor('encoder')).toBe(0);
});

test('a deferred attempt starts when its time comes, and then delegates to the real one', async () => {
  const ready = Promise.withResolvers<void>();
  const closed: string[] = [];
  const inner: Attempt = { bytes: 7, skipped: 1, clients: 2, close: (reason) => void closed.push(reason) };
  const attempt = deferredAttempt(ready.promise, () => inner, noEnd);
  expect({ bytes: attempt.bytes, clients: attempt.clients }).toEqual({ bytes: 0, clients: undefined });
  ready.resolve();
  await ready.promise;
  expect(attempt).toMatchObject({ bytes: 7, skipped: 1, clients: 2 });
  attempt.close('off');
  expect(closed).toEqual(['off']);
});

test('an attempt that is closed while it waits never starts', async () => {
  const ready = Promise.withResolvers<void>();
  let opened = 0;
  const inner: Attempt = { bytes: 0, skipped: 0, close: () => {} };
  const open = () => {
    opened++;
    return inner;
  };
  deferredAttempt(ready.promise, open, noEnd).close('off');
  ready.resolve();
  await ready.promise;
  expect(opened).toBe(0);
});

test('an attempt that cannot start when its time comes reports it', async () => {
  const ends: Termination[] = [];
  const fail = () => {
    throw new Error('too many open files');
  };
  deferredAttempt(Promise.resolve(), fail, (end) => ends.push(end));
  await Bun.sleep(0);
  expect(ends).toMatchObject([{ reason: 'internal', permanent: false }]);
});
