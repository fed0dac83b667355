import { expect, test } from 'bun:test';
import { createLog } from '../../lib/log.ts';
import { createTsBus } from '../mpegts/ts-bus.ts';
import { createFeed } from './feed.ts';

const channelId = 7;

/** An endpoint whose queue takes `room` units until it is drained. */
function setUp(start: 'newest' | 'next', room: number, sent: () => void = () => undefined) {
  const lines: string[] = [];
  const got: { first: number; isEntry: boolean }[] = [];
  let free = room;
  const bus = createTsBus();
  const port = {
    sendUnit(_: number, data: Uint8Array, isEntry: boolean) {
      if (free === 0) return false;
      free--;
      got.push({ first: data[4] ?? 0, isEntry });
      sent();
      return true;
    },
    sendTables: () => true,
    dropFeed: () => undefined,
  };
  const feed = createFeed(channelId, bus, port, { start, log: createLog('debug', (line) => lines.push(line)) });
  const push = (number: number) => {
    const data = new Uint8Array(188).fill(number);
    bus.ring.push({ data, bytes: data.length, entryPoint: number === 1 });
  };
  const drain = () => {
    free = room;
    feed.resume();
  };
  return { feed, bus, got, lines, push, drain };
}

test('a long group of pictures goes to an endpoint as fast as it reads, complete from its random access point on', () => {
  const { feed, bus, got, lines, push, drain } = setUp('newest', 4);
  for (let number = 1; number <= 10; number++) push(number);
  feed.want(1);
  expect(got.map(({ first }) => first)).toEqual([1, 2, 3, 4]);
  push(11);
  bus.ring.notify();
  drain();
  drain();
  expect(got.map(({ first }) => first)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  expect(got.filter(({ isEntry }) => isEntry).map(({ first }) => first)).toEqual([1]);
  expect([feed.lost, lines]).toEqual([0, []]);
});

test('receivers without flow control lose units when the queue is full, and the log says so', () => {
  const { feed, bus, got, lines, push, drain } = setUp('next', 2);
  feed.want(1);
  for (let number = 1; number <= 4; number++) push(number);
  bus.ring.notify();
  drain();
  push(5);
  bus.ring.notify();
  expect(got.map(({ first }) => first)).toEqual([1, 2, 5]);
  expect(feed.lost).toBe(2);
  expect(lines.length).toBe(2);
});

test('a restarted endpoint gets the group from its random access point again', () => {
  const { feed, got, push, drain } = setUp('newest', 2);
  for (let number = 1; number <= 3; number++) push(number);
  feed.want(1);
  feed.restart();
  drain();
  drain();
  expect(got.map(({ first }) => first)).toEqual([1, 2, 1, 2, 3]);
});

test('an endpoint that has room again while a unit is sent gets each unit once, in order', () => {
  const { feed, got, push } = setUp('newest', 10, () => feed.resume());
  for (let number = 1; number <= 6; number++) push(number);
  feed.want(1);
  expect(got.map(({ first }) => first)).toEqual([1, 2, 3, 4, 5, 6]);
});
