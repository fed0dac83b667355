import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { looped } from '../../tests/support/clips.ts';
import { createLog } from '../lib/log.ts';
import type { Bridge } from './bridge.ts';
import { type BridgeSetting, createFlvToTs, createTsToFlv } from './bridges.ts';
import { FlvFileReader } from './flv/file.ts';
import { createFlvBus, messageType } from './flv/flv-bus.ts';
import { createFlvSink } from './flv/flv-sink.ts';
import { createTsBus } from './mpegts/ts-bus.ts';
import { createTsSink } from './mpegts/ts-sink.ts';
import { readSps } from './read-sps.ts';

const roomy = { lagMs: 1e9, lagBytes: 1e9, ownBytes: 1e9, maxBytes: 1e9, maxMs: 1e9 };
const folders: string[] = [];
const bridges: Bridge[] = [];

afterEach(() => {
  for (const bridge of bridges.splice(0)) bridge.close();
  for (const publisher of publishers.splice(0)) publisher.kill('SIGKILL');
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const publishers: Bun.Subprocess[] = [];

/** FFmpeg plays a test picture in real time; `onBytes` gets what it muxes. */
function publish(format: string, codec: 'h264' | 'hevc', onBytes: (bytes: Uint8Array) => void): void {
  const media = looped({ pictures: { size: '320x180', kbps: 1000, codec }, sound: {} });
  const child = Bun.spawn(
    ['ffmpeg', '-nostdin', '-loglevel', 'error', ...media, '-flush_packets', '1', '-t', '20', '-f', format, '-'],
    { stdout: 'pipe', stderr: 'ignore' },
  );
  publishers.push(child);
  void (async () => {
    for await (const bytes of child.stdout) onBytes(bytes);
  })();
}

function setting(): BridgeSetting & { changed: Promise<void> } {
  const folder = mkdtempSync(join(tmpdir(), 'sb-bridge-'));
  folders.push(folder);
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    id: 'c1',
    log: createLog('error'),
    ffmpeg: () => 'ffmpeg',
    socketPath: (name) => join(folder, `${name}.sock`),
    onChange: resolve,
    changed: promise,
  };
}

/** Resolves when `ready` holds; `wake` is called by the bus. */
function until(ready: () => boolean): { promise: Promise<void>; wake: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { promise, wake: () => ready() && resolve() };
}

setDefaultTimeout(30_000);

test('a TS stream comes out as FLV with its headers, frames in order and an entry point', async () => {
  const from = createTsBus(roomy);
  const to = createFlvBus(roomy);
  const sink = createTsSink(from, readSps);
  const bridge = createTsToFlv(setting(), from, to);
  bridges.push(bridge);
  const timestamps: number[] = [];
  let entries = 0;
  const done = until(() => {
    for (let unit = cursor.take(); unit; unit = cursor.take()) {
      if (unit.entryPoint) entries++;
      for (const message of unit.messages) if (message.type === messageType.video) timestamps.push(message.timestamp);
    }
    return timestamps.length > 60;
  });
  const cursor = to.ring.subscribe(done.wake);
  bridge.want(true);
  publish('mpegts', 'h264', (bytes) => {
    sink.write(bytes);
    sink.flush();
  });
  await done.promise;
  expect(to.headers.video).toBeDefined();
  expect(to.headers.audio).toBeDefined();
  expect(entries).toBeGreaterThanOrEqual(2);
  expect(timestamps).toEqual([...timestamps].sort((a, b) => a - b));
});

test('an FLV stream comes out as TS that begins with a keyframe', async () => {
  const from = createFlvBus(roomy);
  const to = createTsBus(roomy);
  const sink = createFlvSink(from);
  const reader = new FlvFileReader((message) => sink.message(message));
  const bridge = createFlvToTs(setting(), from, to, readSps);
  bridges.push(bridge);
  let bytes = 0;
  let firstIsEntry: boolean | undefined;
  const done = until(() => {
    for (let unit = cursor.take(); unit; unit = cursor.take()) {
      firstIsEntry ??= unit.entryPoint;
      bytes += unit.bytes;
    }
    return bytes > 100_000;
  });
  const cursor = to.ring.subscribe(done.wake);
  bridge.want(true);
  publish('flv', 'h264', (bytes) => {
    reader.feed(bytes);
    sink.flush();
  });
  await done.promise;
  expect(firstIsEntry).toBe(true);
  expect(to.tables.length).toBe(376);
});

test('a codec without a place in FLV is said to be impossible', async () => {
  const from = createTsBus(roomy);
  const sink = createTsSink(from, readSps);
  const options = setting();
  const bridge = createTsToFlv(options, from, createFlvBus(roomy));
  bridges.push(bridge);
  bridge.want(true);
  publish('mpegts', 'hevc', (bytes) => {
    sink.write(bytes);
    sink.flush();
  });
  await options.changed;
  expect(bridge.isImpossible).toBe(true);
  expect(bridge.log()?.lines.length).toBeGreaterThan(0);
});

test('an FFmpeg that can not even be started is tried again later', async () => {
  const from = createTsBus(roomy);
  const to = createFlvBus(roomy);
  const sink = createTsSink(from, readSps);
  const options = setting();
  const bridge = createTsToFlv(options, from, to);
  bridges.push(bridge);
  const done = until(() => to.headers.video !== undefined);
  to.ring.subscribe(done.wake);
  const entry = until(() => from.ring.newestEntry >= 0);
  from.ring.subscribe(entry.wake);
  publish('mpegts', 'h264', (bytes) => {
    sink.write(bytes);
    sink.flush();
  });
  await entry.promise;
  const path = process.env.PATH;
  process.env.PATH = '/nowhere';
  bridge.want(true);
  process.env.PATH = path;
  await options.changed;
  await done.promise;
});
