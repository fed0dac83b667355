/** Streams that nobody reads in the engine: what it knows of them, and what one that begins to read gets. */
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { until } from '../../../tests/support/until.ts';
import type { OutgoingMessage } from './chunk-writer.ts';
import { commandMessage } from './commands.ts';
import {
  closeAll,
  expectWhole,
  frame,
  lastOf,
  numberOf,
  startEngine,
  startPlayer,
  startStream,
  untilSkipping,
  videosOf,
} from './relay-rig-for-test.ts';

setDefaultTimeout(60_000);
afterEach(closeAll);

test('while only players read, the engine gets figures; a player that joins starts with the newest picture', async () => {
  const started = await startEngine();
  const { engine } = started;
  const stream = await startStream(started);
  const players = [await startPlayer(started)];
  for (let i = 0; i < 3; i++) {
    await untilSkipping(started);
    const from = stream.sent;
    const player = await startPlayer(started);
    // Not older than the group that was being sent.
    expect(numberOf(videosOf(player)[0] ?? frame(0), 5)).toBeGreaterThanOrEqual(from - 20);
    players.push(player);
  }
  await untilSkipping(started);
  await stream.stop();
  await until(() => players.every((player) => lastOf(player) === stream.sent - 1));
  for (const player of players) expect(expectWhole(player)).toBe(0);
  await until(() => engine.sinks[0]?.arrivals.audio === stream.sent);
  const totals = () => engine.sinks[0]?.counters ?? { bytes: 0, videoFrames: 0 };
  const reported = engine.sinks[0]?.bytes ?? 0;
  expect(reported).toBeGreaterThan(totals().bytes);
  // What is parsed in the end comes to the same.
  stream.publisher.write(commandMessage(0, 'FCUnpublish', 5, null, 'push'));
  await until(() => !engine.isPublishing());
  expect([totals().bytes, totals().videoFrames]).toEqual([reported, stream.sent]);
});

test('one that begins to read the bus gets the newest group and all that follows, in the players’ time', async () => {
  const started = await startEngine();
  const { engine } = started;
  const stream = await startStream(started);
  const player = await startPlayer(started);
  await untilSkipping(started);
  const from = stream.sent;
  const read: OutgoingMessage[] = [];
  const cursor = engine.bus.ring.subscribe(() => {
    for (let unit = cursor.take(); unit; unit = cursor.take()) read.push(...unit.messages);
  }, 'oldest');
  await until(() => read.length > 200);
  cursor.close();
  const videos = read.filter(({ type }) => type === 9);
  const first = numberOf(videos[0] ?? frame(0), 5);
  expect(first % 10).toBe(0);
  expect(first).toBeGreaterThanOrEqual(from - 20);
  for (const [i, one] of videos.entries()) expect(one).toEqual({ ...frame(first + i), payload: one.payload });
  await stream.stop();
  await until(() => lastOf(player) === stream.sent - 1);
  expectWhole(player);
});

test('a thumbnail finds the newest keyframe, and the stream stays with the endpoint', async () => {
  const started = await startEngine();
  const { engine } = started;
  await startStream(started);
  await startPlayer(started);
  const { ring } = engine.bus;
  await untilSkipping(started);
  expect(ring.newestEntry).toBe(-1);
  ring.look();
  await until(() => ring.newestEntry >= 0);
  const entry = ring.newestEntry;
  await until(() => {
    ring.look();
    return ring.newestEntry > entry;
  });
  expect(ring.subscribers).toBe(0);
  // Nobody looks any more.
  await untilSkipping(started);
});

test('a publisher whose bytes do not come here gets its acknowledgements, and is not taken for silent', async () => {
  const started = await startEngine({ publisherIdleMs: 1000 });
  const stream = await startStream(started);
  await startPlayer(started);
  await untilSkipping(started);
  stream.make((n) => frame(n, 60_000));
  const before = stream.publisher.acknowledged.length;
  await until(() => stream.publisher.acknowledged.length > before + 1);
  expect(stream.publisher.acknowledged).toEqual(stream.publisher.acknowledged.toSorted((a, b) => a - b));
  stream.make(frame);
  const from = stream.sent;
  // At least 3 s.
  await until(() => stream.sent > from + 600);
  expect(started.engine.ends).toEqual([]);
  await stream.stop();
  await until(() => started.engine.ends.some((reason) => reason.startsWith('publisher: sent nothing')));
});
