import { expect, test } from 'bun:test';
import { plentyOfDescriptors } from '../../../tests/support/descriptors.ts';
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
  const ports = {
    log: createLog('error', () => undefined),
    feeds: { srt: noFeed, udp: noFeed },
    playerPlaces: createPlayerPlaces({ boundKey: createCallers().boundKey, descriptors: plentyOfDescriptors }),
    openOutput: () => attempt,
    openInput: () => attempt,
    onChange: () => undefined,
  } satisfies ChannelPorts;
  const probeChannels = new Map<number, Channel>();
  const registry = { probeChannels, onAir: () => undefined };
  return { probeChannels, tests: createSourceTests({ ports, ffmpeg, registry }) };
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
