import { expect, test } from 'bun:test';
import { createPump } from './pump.ts';

test('a socket that takes nothing is sent nothing more until it drains', () => {
  const messages = [1, 2, 3].map((byte) => Uint8Array.of(byte));
  const sent: number[] = [];
  let takesMore = false;
  const pump = createPump({
    next: () => messages.shift(),
    send(message) {
      sent.push(message[0] ?? 0);
      return takesMore;
    },
  });
  pump.flush();
  pump.flush();
  expect(sent).toEqual([1]);
  const end = performance.now() + 5;
  while (performance.now() < end);
  expect(pump.blockedMs).toBeGreaterThan(4);
  takesMore = true;
  pump.drained();
  expect(sent).toEqual([1, 2, 3]);
  expect(pump.blockedMs).toBe(0);
});

test('what is written within one turn of the event loop is sent together', async () => {
  let flushes = 0;
  const pump = createPump({
    next() {
      flushes += 1;
      return undefined;
    },
    send: () => true,
  });
  for (let at = 0; at < 10; at++) pump.wake();
  expect(flushes).toBe(0);
  await new Promise((resolve) => setImmediate(resolve));
  expect(flushes).toBe(1);
});
