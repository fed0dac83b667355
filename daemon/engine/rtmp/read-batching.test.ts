import { expect, test } from 'bun:test';
import { createFakeClock } from '../bus/fake-clock-for-test.ts';
import { messageType } from '../flv/flv-bus.ts';
import { ReadBatching } from './read-batching.ts';

const { audio, video, data } = messageType;

function createBench() {
  const clock = createFakeClock();
  const marks: number[] = [];
  const batching = new ReadBatching((bytes) => marks.push(bytes), clock);
  /** One read with whole messages. */
  const read = (...messages: (readonly [typeof audio | typeof video | typeof data, number])[]) => {
    for (const [type, bytes] of messages) batching.message(type, bytes);
    batching.afterRead(0);
  };
  return { clock, marks, batching, read };
}

test('audio waits for the next picture', () => {
  const { clock, marks, read } = createBench();
  for (let n = 0; n < 20; n++) {
    read([audio, 300], [video, 20_000]);
    clock.pass(33);
  }
  expect(marks).toEqual([8192]);
});

test('audio waits for at most 45 ms, and later audio does not wait until there is a picture again', () => {
  const { clock, marks, read } = createBench();
  read([video, 20_000]);
  clock.pass(44);
  expect(marks).toEqual([8192]);
  clock.pass(1);
  expect(marks).toEqual([8192, 1]);
  read([audio, 300]);
  read([audio, 300], [data, 50_000]);
  clock.pass(1000);
  expect(marks).toEqual([8192, 1]);
  read([video, 20_000]);
  expect(marks).toEqual([8192, 1, 8192]);
});

test('audio without pictures does not wait', () => {
  const { clock, marks, read } = createBench();
  for (let n = 0; n < 20; n++) {
    read([audio, 300]);
    clock.pass(21);
  }
  expect(marks).toEqual([]);
});

test('pictures are larger than the mark, also the next ones after a small picture', () => {
  const { clock, marks, read } = createBench();
  read([video, 20_000]);
  read([video, 400]);
  expect(marks).toEqual([8192, 128]);
  // One picture in eight stays small: none of them waits.
  for (let n = 1; n <= 64; n++) {
    expect(marks.at(-1)).toBeLessThanOrEqual(256);
    read([video, n % 8 === 0 ? 400 : 20_000]);
    clock.pass(33);
  }
  for (let n = 0; n < 40; n++) read([video, 20_000]);
  expect(marks.at(-1)).toBe(8192);
});

test('the rest of a message is read at once, in parts if it is long, and after 45 ms in any case', () => {
  const { clock, marks, batching, read } = createBench();
  batching.afterRead(5000);
  batching.afterRead(1_000_000);
  clock.pass(45);
  expect(marks).toEqual([5000, 32_768, 1]);
  batching.afterRead(900_000);
  batching.afterRead(700);
  read([audio, 700]);
  clock.pass(1000);
  expect(marks).toEqual([5000, 32_768, 1, 32_768, 700, 1]);
});

test('nothing waits and no timer is left once it has stopped', () => {
  const { clock, marks, batching, read } = createBench();
  read([video, 20_000]);
  batching.stop();
  clock.pass(1000);
  expect(marks).toEqual([8192, 1]);
});

test('once stopped it changes nothing, until it resumes', () => {
  const { clock, marks, batching, read } = createBench();
  read([video, 20_000]);
  batching.stop();
  expect(marks).toEqual([8192, 1]);
  read([video, 20_000]);
  clock.pass(1000);
  expect(marks).toEqual([8192, 1]);
  batching.resume();
  read([video, 20_000]);
  expect(marks).toEqual([8192, 1, 8192]);
});
