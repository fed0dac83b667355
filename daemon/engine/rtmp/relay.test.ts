/** Streams through the RTMP endpoint, on real sockets: what players get is the same with and without it. */
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../../tests/support/until.ts';
import { createLog } from '../../lib/log.ts';
import { encodeAmf } from '../flv/amf0.ts';
import { encodeMessages, type OutgoingMessage, userControlMessage } from './chunk-writer.ts';
import { commandMessage } from './commands.ts';
import { startEngineDouble } from './engine-double-for-test.ts';
import { userControlEvent } from './protocol.ts';
import { createRelay } from './relay.ts';
import {
  closeAll,
  closers,
  expectWhole,
  frame,
  frameMs,
  header,
  isAway,
  lastOf,
  numberOf,
  sound,
  startEngine,
  startPlayer,
  startStream,
  videosOf,
} from './relay-rig-for-test.ts';
import { startScriptedPlayer } from './scripted-player-for-test.ts';

setDefaultTimeout(60_000);
afterEach(closeAll);

const openFiles = (pid: number) => readdirSync(`/proc/${pid}/fd`).length;

test.each([128, 4096, 65_536])(
  'a stream moves to the endpoint and back without loss, in chunks of %d',
  async (chunkBytes) => {
    const started = await startEngine();
    const { engine, relay } = started;
    const stream = await startStream(started, { chunkBytes });
    const players = [await startPlayer(started), await startPlayer(started)];
    for (let round = 0; round < 3; round++) {
      await until(() => isAway(started));
      players.push(await startPlayer(started));
      await until(() => isAway(started));
      const from = stream.sent;
      await until(() => players.every((player) => lastOf(player) > from + 30));
      // Another reader, such as an output, needs the stream at once.
      const cursor = engine.bus.ring.subscribe(() => undefined, 'next');
      engine.bus.ring.onReader?.();
      await until(() => engine.bus.ring.subscribers === players.length + 1);
      const back = stream.sent;
      await until(() => players.every((player) => lastOf(player) > back + 10));
      cursor.close();
    }
    await stream.stop();
    await until(() => players.every((player) => lastOf(player) === stream.sent - 1));
    for (const player of players) expect(expectWhole(player)).toBe(0);
    expect(relay.pid).toBeGreaterThan(0);
    expect(engine.sinks[0]?.counters.droppedFrames).toBe(0);
  },
);

test('the engine gets the whole stream, and counts what the endpoint sends', async () => {
  const started = await startEngine();
  const { engine } = started;
  const stream = await startStream(started);
  await startPlayer(started);
  await until(() => isAway(started));
  const from = stream.sent;
  await until(() => stream.sent > from + 100);
  await stream.stop();
  await until(() => engine.sinks[0]?.arrivals.video === stream.sent);
  const bytes = () => engine.players[0]?.stats().bytesOut ?? 0;
  await until(() => bytes() > 100 * 500);
  expect(engine.sinks[0]?.arrivals.audio).toBe(stream.sent);
});

test('new headers, metadata and commands are the engine’s, and players get them in their place', async () => {
  const started = await startEngine();
  const stream = await startStream(started);
  const player = await startPlayer(started);
  await until(() => isAway(started));
  const other: OutgoingMessage = { ...header, payload: Uint8Array.of(0x17, 0, 0, 0, 0, 2) };
  await stream.stop();
  const n = stream.sent;
  const { publisher } = stream;
  publisher.send(frame(n, 900), { ...other, timestamp: n * frameMs }, frame(n + 1), sound(n + 1));
  await until(() => lastOf(player) === n + 1);
  const headers = player.media.filter(({ type, payload }) => type === 9 && payload[1] === 0);
  expect(headers.map(({ payload }) => payload.at(-1))).toEqual([1, 2]);
  const place = player.media.indexOf(headers[1] as (typeof headers)[0]);
  expect(numberOf(player.media[place - 1] ?? header, 5)).toBe(n);
  const metadata = encodeAmf('@setDataFrame', 'onMetaData', { width: 640 });
  publisher.send({ type: 18, timestamp: 0, payload: metadata });
  publisher.write(commandMessage(0, 'FCUnpublish', 5, null, 'push'));
  await until(() => !started.engine.isPublishing());
  expect(started.engine.ends).toContain('publisher: stopped by the client');
});

test('a stream whose headers and metadata are repeated stays with the endpoint', async () => {
  const started = await startEngine();
  const { engine } = started;
  const metadata = encodeAmf('@setDataFrame', 'onMetaData', { width: 640 });
  const { publisher } = await startStream(started);
  const repeat = () => publisher.send({ type: 18, timestamp: 0, payload: metadata }, header);
  repeat();
  const player = await startPlayer(started);
  await until(() => isAway(started));
  let returns = 0;
  engine.bus.ring.onReader = () => returns++;
  for (let i = 0; i < 30; i++) {
    repeat();
    const from = lastOf(player);
    await until(() => lastOf(player) > from);
  }
  expect(returns).toBe(0);
  expect(player.media.filter(({ type, payload }) => type === 9 && payload[1] === 0)).toHaveLength(1);
  // Places in the stream are still the same on both sides.
  player.socket.write(userControlMessage(userControlEvent.pingRequest, 1));
  await until(() => player.pongs.length > 0);
  await until(() => isAway(started));
  const from = lastOf(player);
  await until(() => lastOf(player) > from + 20);
  expectWhole(player);
});

test('a publisher may end its stream and start another one on its connection, in one go', async () => {
  const started = await startEngine();
  const { engine } = started;
  const { publisher, stop } = await startStream(started);
  const player = await startPlayer(started);
  await until(() => isAway(started));
  await stop();
  await until(() => engine.sinks[0]?.arrivals.video === videosOf(player).length);
  const count = videosOf(player).length;
  const frames = Array.from({ length: 50 }, (_, i) => frame(i, 20_000));
  publisher.write(
    Buffer.concat([
      commandMessage(0, 'deleteStream', 6, null, 1),
      commandMessage(0, 'createStream', 7, null),
      commandMessage(1, 'publish', 8, null, 'push', 'live'),
      encodeMessages([header, ...frames], 1, 4096),
    ]),
  );
  await until(() => videosOf(player).length === count + frames.length);
  expect(videosOf(player).slice(count)).toMatchObject(frames.map(({ payload }) => ({ payload })));
  expect(engine.ends).toEqual(['publisher: stopped by the client']);
  for (let i = 50; engine.bus.ring.subscribers > 0; i++) {
    publisher.send(frame(i));
    await Bun.sleep(5);
  }
});

test('a player is answered while the endpoint serves it', async () => {
  const started = await startEngine();
  await startStream(started);
  const player = await startPlayer(started);
  await until(() => isAway(started));
  const before = player.pongs.length;
  player.socket.write(userControlMessage(userControlEvent.pingRequest, 4711));
  await until(() => player.pongs.length > before);
  expect(player.pongs.at(-1)).toBe(4711);
  await until(() => isAway(started));
  const from = lastOf(player);
  await until(() => lastOf(player) > from + 20);
  expectWhole(player);
});

test('a player continues with the next publisher, whose times follow', async () => {
  const started = await startEngine();
  const first = await startStream(started);
  const player = await startPlayer(started);
  await until(() => isAway(started));
  const from = lastOf(player);
  await until(() => lastOf(player) > from + 30);
  await first.stop();
  first.publisher.socket.end();
  await until(() => !started.engine.isPublishing());
  const count = player.media.length;
  const second = await startStream(started);
  await until(() => player.media.length > count + 20);
  await until(() => isAway(started));
  await second.stop();
  const times = videosOf(player).map(({ timestamp }) => timestamp);
  expect(times.every((time, i) => i === 0 || time > (times[i - 1] ?? 0))).toBe(true);
});

test('a publisher that the engine ends is closed, and its player waits for the next one', async () => {
  const started = await startEngine();
  const stream = await startStream(started, { everyMs: frameMs });
  const player = await startPlayer(started);
  await until(() => isAway(started));
  const from = lastOf(player);
  await until(() => lastOf(player) > from + 10);
  started.engine.publishers[0]?.close('ended by the test');
  await stream.publisher.closed;
  await stream.stop();
  expect(started.engine.ends).toContain('publisher: ended by the test');
  const count = player.media.length;
  await startStream(started);
  await until(() => player.media.length > count + 20);
  const times = videosOf(player).map(({ timestamp }) => timestamp);
  expect(times.every((time, i) => i === 0 || time > (times[i - 1] ?? 0))).toBe(true);
});

test('a player that is behind gets the end of the stream', async () => {
  const started = await startEngine();
  const { engine } = started;
  const stream = await startStream(started);
  const player = await startPlayer(started);
  await until(() => isAway(started));
  player.socket.pause();
  stream.make((n) => frame(n, 60_000));
  await until(() => (engine.players[0]?.stats().feed?.lagMs ?? 0) > 0);
  await stream.stop();
  stream.publisher.write(commandMessage(0, 'FCUnpublish', 5, null, 'push'));
  await until(() => !engine.isPublishing());
  player.socket.resume();
  await until(() => lastOf(player) === stream.sent - 1);
  const numbers = videosOf(player).map((video) => numberOf(video, 5));
  expect(numbers).toEqual(numbers.map((_, i) => (numbers[0] ?? 0) + i));
});

test('a publisher that must leave is told why', async () => {
  const started = await startEngine();
  const { publisher, stop } = await startStream(started);
  await startPlayer(started);
  await until(() => isAway(started));
  started.engine.publishers[0]?.dismiss('replaced by another one');
  await publisher.closed;
  await stop();
  expect(publisher.statuses).toEqual(['NetStream.Publish.Start', 'NetStream.Publish.BadName']);
});

test('a slow player loses groups of pictures, and the others lose nothing', async () => {
  const started = await startEngine();
  const { engine, relay } = started;
  const stream = await startStream(started);
  const [slow, good] = [await startPlayer(started), await startPlayer(started)];
  await until(() => isAway(started));
  const large = (n: number) => frame(n, 60_000);
  slow.socket.pause();
  stream.make(large);
  // More than the buffers of the sockets hold, the bus, and what the endpoint returns with the player.
  const until24MB = stream.sent + 400;
  await until(() => (engine.players[0]?.stats().stalledMs ?? 0) > 2000 && stream.sent > until24MB);
  stream.make(frame);
  slow.socket.resume();
  const from = stream.sent;
  await until(() => lastOf(slow) > from + 20 && lastOf(good) > from + 20);
  await until(() => isAway(started));
  await stream.stop();
  await until(() => lastOf(good) === stream.sent - 1 && lastOf(slow) === stream.sent - 1);
  const numbers = videosOf(good).map((video) => numberOf(video, 5));
  expect(numbers).toEqual(numbers.map((_, i) => (numbers[0] ?? 0) + i));
  const slowNumbers = videosOf(slow).map((video) => numberOf(video, 5));
  const jumps = slowNumbers.filter((n, i) => i > 0 && n !== (slowNumbers[i - 1] ?? 0) + 1);
  expect(jumps.length).toBeGreaterThan(0);
  // Each continues with a random access point.
  expect(jumps.every((n) => n % 10 === 0)).toBe(true);
  for (const video of videosOf(slow)) {
    const n = numberOf(video, 5);
    expect([frame(n), large(n)].some(({ payload }) => Buffer.compare(payload, video.payload) === 0)).toBe(true);
  }
  expect(relay.pid).toBeGreaterThan(0);
});

test('an endpoint that is killed ends its connections and is replaced', async () => {
  const started = await startEngine();
  const { engine, relay } = started;
  const stream = await startStream(started);
  const player = await startPlayer(started);
  await until(() => isAway(started));
  const { pid } = relay;
  process.kill(pid, 'SIGKILL');
  await Promise.all([stream.publisher.closed, player.closed]);
  await stream.stop();
  expect(engine.ends).toContain('publisher: the RTMP endpoint ended');
  expect(engine.ends).toContain('player: the RTMP endpoint ended');
  const next = await startStream(started);
  const again = await startPlayer(started);
  await until(() => isAway(started) && relay.pid !== 0 && relay.pid !== pid);
  const from = lastOf(again);
  await until(() => lastOf(again) > from + 20);
  await next.stop();
  await until(() => lastOf(again) === next.sent - 1);
  expectWhole(again);
});

test('without the program everything is done in the engine', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rtmp-relay-'));
  const relay = createRelay({
    binary: join(folder, 'missing'),
    socketPath: join(folder, 'rtmp.sock'),
    log: createLog('error', () => undefined),
    pauseMs: 0,
  });
  const engine = startEngineDouble({}, undefined, relay);
  closers.push(async () => {
    engine.server.close('test over');
    await relay.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const started = { engine, relay, lines: [] };
  const stream = await startStream(started);
  const player = await startPlayer(started);
  await until(() => lastOf(player) > 50);
  await stream.stop();
  await until(() => lastOf(player) === stream.sent - 1);
  expectWhole(player);
});

test('connections that come and go leave no descriptors', async () => {
  const started = await startEngine();
  const { engine, relay } = started;
  await startStream(started);
  const first = await startPlayer(started);
  await until(() => isAway(started));
  const [before, beforeHere] = [openFiles(relay.pid), openFiles(process.pid)];
  for (let i = 0; i < 20; i++) {
    const player = await startScriptedPlayer(engine.server.port, 'play');
    await until(() => videosOf(player).length > 5 && isAway(started));
    player.socket.terminate();
    await until(() => engine.server.connections === 2);
  }
  await until(() => openFiles(relay.pid) === before && openFiles(process.pid) <= beforeHere);
  expectWhole(first);
});
