import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { clip } from '../../../tests/support/clips.ts';
import { plentyOfDescriptors } from '../../../tests/support/descriptors.ts';
import { toLoopback } from '../../../tests/support/outgoing.ts';
import { connectionStates } from '../../contract/streams.ts';
import { createLog } from '../../lib/log.ts';
import type { HttpStream } from '../../sources/stream-address.ts';
import type { Adapters } from '../adapters.ts';
import type { ChannelPorts } from '../channel/channel.ts';
import type { FeedPort } from '../channel/feed.ts';
import { createPlayerPlaces } from '../channel/player-places.ts';
import { createCallers } from '../net/callers.ts';
import { openInput } from '../protocols.ts';
import { openProbeChannel, probeSource, watchSource } from './source-probe.ts';

setDefaultTimeout(30_000);

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
});

const noFeed: FeedPort = { sendUnit: () => true, sendTables: () => true, dropFeed: () => undefined };
const ports: ChannelPorts = {
  log: createLog('error', () => undefined),
  feeds: { srt: noFeed, udp: noFeed },
  playerPlaces: createPlayerPlaces({ boundKey: createCallers().boundKey, descriptors: plentyOfDescriptors }),
  openOutput: () => ({ bytes: 0, skipped: 0, close: () => undefined }),
  // Only HTTP sources are opened here, and these need no other port.
  openInput: (channel, source, events) => openInput({ outgoing: toLoopback } as Adapters, channel, source, events),
  onChange: () => undefined,
};

const ntscClip = [
  ...['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=30000/1001:duration=4'],
  ...['-f', 'lavfi', '-i', 'sine=sample_rate=44100:duration=4', '-c:v', 'mpeg2video', '-c:a', 'mp2', '-ac', '2'],
  ...['-g', '12'],
];

const h264Clip = [
  ...['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=25:duration=4', '-c:v', 'libx264', '-preset', 'ultrafast'],
  ...['-pix_fmt', 'yuv420p', '-g', '25'],
];

function probe(url: string, rest: { timeoutMs?: number; signal?: AbortSignal } = {}) {
  const source: HttpStream = { protocol: 'http', url, username: '', password: '', bufferMs: 0 };
  const signal = rest.signal ?? new AbortController().signal;
  const { channel, close } = openProbeChannel(1, source, ports);
  cleanups.push(close);
  return probeSource({ channel, isOwn: true, ffprobe: 'ffprobe', timeoutMs: rest.timeoutMs ?? 10_000, signal });
}

function watch(url: string, timeoutMs: number, signal = new AbortController().signal) {
  const source: HttpStream = { protocol: 'http', url, username: '', password: '', bufferMs: 0 };
  const { channel, close } = openProbeChannel(1, source, ports);
  cleanups.push(close);
  return watchSource({ channel, isOwn: true, timeoutMs, signal });
}

function serve(answer: () => Response): string {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, idleTimeout: 0, fetch: answer });
  cleanups.push(() => void server.stop(true));
  return `http://127.0.0.1:${server.port}/`;
}

const silence = () => new Response(new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array(188)) }));

describe('the test of a source', () => {
  test('reports codecs, picture size, rate and audio', async () => {
    const bytes = new Uint8Array(readFileSync(clip(ntscClip, 'ts')));
    const url = serve(() => new Response(bytes));
    expect(await probe(url)).toEqual({
      isFound: true,
      media: {
        container: 'ts',
        video: { codec: 'mpeg2video', width: 320, height: 180, fps: 29.97 },
        audio: { codec: 'mp2', sampleRate: 44_100, channels: 2 },
      },
    });
  });

  test('reports the cause when there is no stream', async () => {
    const missing = await probe(serve(() => new Response(null, { status: 404 })));
    expect(missing).toEqual({ isFound: false, conn: connectionStates.streamFailed, reason: 'streamRefused' });
    const nowhere = await probe('http://name.invalid/');
    expect(nowhere).toEqual({ isFound: false, conn: connectionStates.dnsFailed, reason: 'dnsFailed' });
  });

  test('ends in time, and can be canceled', async () => {
    const url = serve(silence);
    const began = performance.now();
    expect(await probe(url, { timeoutMs: 300 })).toMatchObject({ isFound: false });
    const aborter = new AbortController();
    const cancelled = probe(url, { signal: aborter.signal });
    aborter.abort();
    expect(await cancelled).toMatchObject({ isFound: false });
    expect(performance.now() - began).toBeLessThan(9000);
  });
});

describe('a look at a source', () => {
  test('finds codec and size without ffprobe', async () => {
    const bytes = new Uint8Array(readFileSync(clip(h264Clip, 'ts')));
    const found = await watch(
      serve(() => new Response(bytes)),
      10_000,
    );
    expect(found).toMatchObject({ isFound: true, media: { video: { codec: 'h264', width: 320, height: 180 } } });
  });

  test('reports the cause when there is no stream, and ends in time or when it is canceled', async () => {
    const missing = await watch(
      serve(() => new Response(null, { status: 404 })),
      10_000,
    );
    expect(missing).toMatchObject({ isFound: false, reason: 'streamRefused' });
    const url = serve(silence);
    expect(await watch(url, 300)).toMatchObject({ isFound: false });
    const aborter = new AbortController();
    const canceled = watch(url, 60_000, aborter.signal);
    aborter.abort();
    expect(await canceled).toMatchObject({ isFound: false });
  });
});
