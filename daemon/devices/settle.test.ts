import { expect, test } from 'bun:test';
import { settle } from './settle.ts';

test('the wait ends with the reason of its caller', async () => {
  const caller = new AbortController();
  const waiting = settle(async () => false, { settleMs: 60_000, settleStepMs: 60_000 }, caller.signal);
  caller.abort(new Error('the device was deleted'));
  await expect(waiting).rejects.toThrow('the device was deleted');
});
