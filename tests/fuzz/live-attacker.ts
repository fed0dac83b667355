/** A thread that sends the inputs of fuzz targets to a running hub, and answers the hub with them. See `live.ts`. */
import { createSocket } from 'node:dgram';
import { createConnection, createServer } from 'node:net';
import { createRandom } from './random.ts';
import { inputAt } from './target.ts';
import { attackSrt } from './targets/srt-endpoint.ts';
import { targetNamed } from './targets.ts';

export interface LiveTargets {
  readonly ports: Readonly<Record<'rtmp' | 'srt' | 'hls' | 'rtsp' | 'udp', number>>;
  readonly seed: number;
  /** Without it the inputs are sent as they are in the corpus. */
  readonly isMutated: boolean;
}

export interface LiveServers {
  readonly playlist: number;
  readonly rtsp: number;
}

declare const self: Worker;
const connectionMs = 50;
const pauseMs = 10;
let iteration = 0;
let setup: LiveTargets | undefined;

function next(target: string): Uint8Array {
  const corpus = targetNamed(target).corpus();
  const { seed = 0, isMutated = false } = setup ?? {};
  iteration++;
  return isMutated ? inputAt(corpus, seed, iteration).input : createRandom(seed + iteration).pick(corpus);
}

function sendTcp(port: number, ...pieces: Uint8Array[]): Promise<void> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port });
    socket.on('error', () => {});
    socket.on('close', () => resolve());
    for (const piece of pieces) socket.write(piece);
    setTimeout(() => socket.destroy(), connectionMs);
  });
}

const udp = createSocket('udp4');
const rtmpHandshake = Buffer.concat([Buffer.of(3), Buffer.alloc(1536), Buffer.alloc(1536)]);
const attacks: readonly ((at: LiveTargets) => Promise<unknown>)[] = [
  ({ ports }) => sendTcp(ports.rtmp, rtmpHandshake, next('rtmp-chunks')),
  ({ ports }) =>
    sendTcp(ports.hls, Buffer.from('GET /live/fuzz-play.ts HTTP/1.1\r\nHost: hub\r\nX: '), next('http-auth')),
  ({ ports }) => sendTcp(ports.rtsp, next('rtsp')),
  async ({ ports }) => udp.send(next('udp-datagrams').subarray(0, 1472), ports.udp, '127.0.0.1'),
  ({ ports, seed, isMutated }) =>
    attackSrt(ports.srt, next('srt-datagrams'), createRandom(seed + iteration), isMutated),
];

function serve(answer: () => Uint8Array): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(answer()));
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
  });
}

self.onmessage = ({ data }: MessageEvent<LiveTargets>) => {
  setup = data;
};
const head = Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: application/vnd.apple.mpegurl\r\n\r\n');
self.postMessage({
  playlist: await serve(() => Buffer.concat([head, next('hls-playlist')])),
  rtsp: await serve(() => next('rtsp-session')),
} satisfies LiveServers);

for (;;) {
  const at = setup;
  if (at) await Promise.all(attacks.map((attack) => attack(at)));
  await Bun.sleep(pauseMs);
}
