/** Tests of the measuring programs: complete streams count as complete, and missing parts are detected. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { createSocket, type Socket } from 'node:dgram';
import { join } from 'node:path';
import { leasePort } from '../support/ports.ts';
import { until } from '../support/until.ts';
import { buildToolbox } from './build-tools.ts';
import { stopAllChildren } from './child.ts';
import { type SinkReport, startSender, startSink, type Toolbox } from './tools.ts';

// The first run also encodes the clip.
setDefaultTimeout(90_000);

let toolbox: Toolbox;
beforeAll(async () => {
  toolbox = await buildToolbox(join(import.meta.dir, '../../build/bench'));
});
afterAll(stopAllChildren);

/** Sends for a while through a relay that may drop datagrams. */
async function throughRelay(isKept: (datagram: number) => boolean): Promise<SinkReport> {
  const [input, output] = [leasePort(), leasePort()];
  let seen = 0;
  const relay: Socket = createSocket('udp4', (datagram) => {
    if (isKept(seen++)) relay.send(datagram, output, '127.0.0.1');
  });
  await new Promise<void>((resolve) => relay.bind(input, '127.0.0.1', resolve));
  const sink = startSink(toolbox, { url: `udp://127.0.0.1:${output}` }, 1, 20);
  const sender = startSender(toolbox, { url: `udp://127.0.0.1:${input}` }, 20);
  await sink.ready;
  await Bun.sleep(2000);
  const report = await sink.report();
  await sender.stop();
  relay.close();
  await sink.stop();
  return report;
}

test('a relay that forwards everything shows no loss, and a latency', async () => {
  const report = await throughRelay(() => true);
  expect(report).toMatchObject({ lost: 0, repeated: 0, faults: 0, closed: 0, stalled: 0 });
  expect(report.frames).toBeGreaterThan(40);
  expect(report.latencyMs.p50).toBeGreaterThan(0);
});

test('dropped datagrams show as lost frames and continuity errors', async () => {
  // 300 datagrams are about half a second.
  const report = await throughRelay((datagram) => datagram < 200 || datagram >= 500);
  expect(report.lost).toBeGreaterThan(5);
  expect(report.faults).toBeGreaterThan(0);
});

/** Returns the transport stream that the sender sends in about half a second. */
async function sentStream(): Promise<Blob> {
  const port = leasePort();
  const datagrams: Buffer[] = [];
  const socket = createSocket('udp4', (datagram) => void datagrams.push(datagram));
  await new Promise<void>((resolve) => socket.bind(port, '127.0.0.1', resolve));
  const sender = startSender(toolbox, { url: `udp://127.0.0.1:${port}` }, 20);
  await until(() => datagrams.length >= 300);
  await sender.stop();
  socket.close();
  return new Blob(datagrams as Buffer<ArrayBuffer>[]);
}

test('an HLS reader has stalled after two segments without a frame, not after one', async () => {
  const [segment, seconds] = [await sentStream(), 2];
  let fetched = 0;
  // A server that has one segment and never lists another.
  const server = Bun.serve({
    ...{ hostname: '127.0.0.1', port: 0 },
    fetch({ url }) {
      if (!url.endsWith('.ts')) return new Response(`#EXTM3U\n#EXT-X-TARGETDURATION:${seconds}\none.ts\n`);
      fetched = performance.now();
      return new Response(segment);
    },
  });
  const sink = startSink(toolbox, { url: `hls://127.0.0.1:${server.port}/live/index.m3u8` }, 1, 30);
  await sink.ready;
  await until(async () => (await sink.report()).stalled === 1);
  expect(performance.now() - fetched).toBeGreaterThanOrEqual(2 * seconds * 1000);
  await sink.stop();
  await server.stop(true);
});
