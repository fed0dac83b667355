import { expect, test } from 'bun:test';
import { plentyOfDescriptors } from '../../../tests/support/descriptors.ts';
import { until } from '../../../tests/support/until.ts';
import { connectionStates } from '../../contract/streams.ts';
import { createLog } from '../../lib/log.ts';
import type { FetchSource } from '../../sources/stream-address.ts';
import type { Channel, ChannelPorts } from '../channel/channel.ts';
import type { FeedPort } from '../channel/feed.ts';
import { createPlayerPlaces } from '../channel/player-places.ts';
import type { FfmpegDetector } from '../ffmpeg/detector.ts';
import { createCallers } from '../net/callers.ts';
import { createSourceTests } from './source-tests.ts';

const noFeed: FeedPort = { sendUnit: () => true, sendTables: () => true, dropFeed: () => undefined };
const attempt = { bytes: 0, skipped: 0, close: () => undefined };
const source: FetchSource = { protocol: 'http', url: 'http://127.0.0.1:9/', username: '', password: '', bufferMs: 0 };

const known = { path: 'ffmpeg', firstLook: Promise.resolve() };

function setUp(ffmpeg: Pick<FfmpegDetector, 'path' | 'firstLook'>) {
  const levels: string[] = [];
  const ports = {
    log: createLog('debug', (_, { level }) => levels.push(level)),
    feeds: { srt: noFeed, udp: noFeed },
    playerPlaces: createPlayerPlaces({ boundKey: createCallers().boundKey, descriptors: plentyOfDescriptors }),
    openOutput: () => attempt,
    openInput: (_channel, _source, events) => {
      queueMicrotask(events.connected);
      return attempt;
    },
    onChange: () => undefined,
  } satisfies ChannelPorts;
  const probeChannels = new Map<number, Channel>();
  const registry = { probeChannels, onAir: () => undefined };
  return { levels, probeChannels, tests: createSourceTests({ ports, ffmpeg, registry }) };
}

test('a test that cannot even start says so, and leaves nothing behind', async () => {
  const { probeChannels, tests } = setUp(known);
  const path = process.env.PATH;
  process.env.PATH = '/nowhere';
  const outcome = await tests.run(1, 0, source);
  process.env.PATH = path;
  expect(outcome).toEqual({ isFound: false, conn: connectionStates.creationFailed, reason: 'partMissing' });
  expect(probeChannels.size).toBe(0);
});

test('four tests run at a time, and a canceled one makes room', async () => {
  const { probeChannels, tests } = setUp(known);
  const running = [1, 2, 3, 4].map((id) => tests.run(id, 0, source));
  expect(probeChannels.size).toBe(4);
  expect(await tests.run(5, 0, source)).toBeUndefined();
  for (const id of [1, 2, 3, 4]) tests.end(id);
  expect(await Promise.all(running)).toHaveLength(4);
  expect(probeChannels.size).toBe(0);
});

test('a test that is canceled before FFmpeg is found holds no place', async () => {
  const looked = Promise.withResolvers<void>();
  let path: string | undefined;
  const { probeChannels, tests } = setUp({
    get path() {
      return path;
    },
    firstLook: looked.promise,
  });
  const outcome = tests.run(1, 0, source);
  tests.end(1);
  path = 'ffmpeg';
  looked.resolve();
  expect(await outcome).toMatchObject({ isFound: false, reason: 'timeout' });
  expect(probeChannels.size).toBe(0);
});

test('two pictures are made and sixteen streams are looked at at a time, without lines in the log', async () => {
  const { levels, probeChannels, tests } = setUp(known);
  const frames = [1, 2].map((id) => tests.frame(id, 0, source));
  expect(await tests.frame(3, 0, source)).toBeUndefined();
  const looks = Array.from({ length: 16 }, (_, at) => tests.look(10 + at, 0, source));
  expect(await tests.look(3, 0, source)).toBeUndefined();
  expect(probeChannels.size).toBe(18);
  await until(() => levels.length >= 18);
  tests.close();
  expect(await Promise.all(frames)).toEqual(['none', 'none']);
  expect((await Promise.all(looks)).every((outcome) => outcome?.isFound === false)).toBe(true);
  expect(probeChannels.size).toBe(0);
  expect(new Set(levels)).toEqual(new Set(['debug']));
});
