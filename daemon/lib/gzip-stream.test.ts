import { expect, test } from 'bun:test';
import { createGunzip, gunzipSync } from 'node:zlib';
import { createGzipStream } from './gzip-stream.ts';

test('the stream is a valid gzip file', () => {
  const stream = createGzipStream();
  const messages = ['first\n\n', '', 'x'.repeat(100_000), 'last'].map((text) => Buffer.from(text));
  const file = Buffer.concat([...messages.map((message) => stream.next(message)), stream.end()]);
  expect(gunzipSync(file)).toEqual(Buffer.concat(messages));
  expect(gunzipSync(createGzipStream().end())).toHaveLength(0);
});

test('a message can be read before the next one is written', async () => {
  const stream = createGzipStream();
  const reader = createGunzip();
  for (const text of ['one', 'two', 'three']) {
    const read = new Promise((resolve) => reader.once('data', resolve));
    reader.write(stream.next(Buffer.from(text)));
    expect(String(await read)).toBe(text);
  }
});
