import { expect, test } from 'bun:test';
import { StreamError } from './codes.ts';
import { createPair } from './core-rig-for-test.ts';
import { duplexOf } from './duplex.ts';

function open() {
  const pair = createPair();
  const [ours, theirs] = pair.open();
  return { ...pair, ours: duplexOf(ours), theirs: duplexOf(theirs) };
}

/** Delivers messages for as long as the work goes on. */
async function during<T>(settle: () => void, work: Promise<T>): Promise<T> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    settle();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return done;
}

test('a write waits until the reader has made room', async () => {
  const { ours, theirs, settle } = open();
  const bytes = Uint8Array.from({ length: 2 << 20 }, (_, at) => (at * 13) & 0xff);
  let isWritten = false;
  const write = theirs.write(bytes).then(() => {
    isWritten = true;
    theirs.end();
  });
  settle();
  await new Promise((resolve) => setImmediate(resolve));
  expect(isWritten).toBeFalse();
  const parts: Uint8Array[] = [];
  const read = async () => {
    for (let part = await ours.read(); part !== undefined; part = await ours.read()) parts.push(part);
  };
  await during(settle, Promise.all([write, read()]));
  expect(Bun.hash(Buffer.concat(parts))).toBe(Bun.hash(bytes));
});

test('a reset rejects a waiting read and a waiting write', async () => {
  const { ours, theirs, settle } = open();
  const read = theirs.read().catch((error: unknown) => error);
  const write = ours.write(new Uint8Array(5 << 20)).catch((error: unknown) => error);
  ours.reset('busy');
  settle();
  for (const error of await Promise.all([read, write])) {
    expect(error).toBeInstanceOf(StreamError);
    expect((error as StreamError).code).toBe('busy');
  }
  expect(await theirs.closed).toBe('busy');
});
