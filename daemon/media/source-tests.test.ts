import { expect, test } from 'bun:test';
import { plentyOfDescriptors } from '../../tests/support/descriptors.ts';
import { connectionStates } from '../contract/streams.ts';
import { createLog } from '../lib/log.ts';
import type { FetchSource } from './addresses.ts';
import { createCallers } from './callers.ts';
import type { Channel, ChannelPorts } from './channel.ts';
import type { FeedPort } from './endpoint/feed.ts';
import type { FfmpegLookout } from './ffmpeg/lookout.ts';
import { createPlayerPlaces } from './player-places.ts';
import { readSps } from './read-sps.ts';
import { createSourceTests } from './source-tests.ts';

const noFeed: FeedPort = { sendUnit: () => true, sendTables: () => true, dropFeed: () => undefined };
const attempt = { bytes: 0, skipped: 0, close: () => undefined };
const source: FetchSource = { protocol: 'http', url: 'http://127.0.0.1:9/', username: '', password: '', bufferMs: 0 };

const known = { path: 'ffmpeg', firstLook: Promise.resolve() };

function setUp(ffmpeg: Pick<FfmpegLookout, 'path' | 'firstLook'>) {
  const ports = {
    log: createLog('error', () => undefined),
    bridge: { ffmpeg: () => undefined, socketPath: (name: string) => `/nowhere/${name}` },
    feeds: { srt: noFeed, udp: noFeed },
    readSps,
    playerPlaces: createPlayerPlaces({ boundKey: createCallers().boundKey, descriptors: plentyOfDescriptors }),
    openOutput: () => attempt,
    openInput: () => attempt,
    onChange: () => undefined,
  } satisfies ChannelPorts;
  const backstage = new Map<number, Channel>();
  const cast = { backstage, onAir: () => undefined };
  return { backstage, tests: createSourceTests({ ports, ffmpeg, cast }) };
}

test('a test that can not even begin says so, and leaves nothing behind', async () => {
  const { backstage, tests } = setUp(known);
  const path = process.env.PATH;
  process.env.PATH = '/nowhere';
  const outcome = await tests.run(1, 0, source);
  process.env.PATH = path;
  expect(outcome).toEqual({ isFound: false, conn: connectionStates.creationFailed, reason: 'partMissing' });
  expect(backstage.size).toBe(0);
});

test('four run at a time, and one that is ended makes room', async () => {
  const { backstage, tests } = setUp(known);
  const running = [1, 2, 3, 4].map((id) => tests.run(id, 0, source));
  expect(backstage.size).toBe(4);
  expect(await tests.run(5, 0, source)).toBeUndefined();
  for (const id of [1, 2, 3, 4]) tests.end(id);
  expect(await Promise.all(running)).toHaveLength(4);
  expect(backstage.size).toBe(0);
});

test('one that is ended while FFmpeg is still looked for holds no place', async () => {
  const looked = Promise.withResolvers<void>();
  let path: string | undefined;
  const { backstage, tests } = setUp({
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
  expect(backstage.size).toBe(0);
});
