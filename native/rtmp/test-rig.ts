/** An RTMP endpoint under the address sanitizer; the test plays the engine, publishers and players. */
import { expect } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Socket } from 'bun';
import { ChunkReader } from '../../daemon/engine/rtmp/chunk-reader.ts';
import type { OutgoingMessage } from '../../daemon/engine/rtmp/chunk-writer.ts';
import { type RtmpEvent, type RtmpOperation, readRtmpEvent } from '../../daemon/engine/rtmp/endpoint-protocol.ts';
import { createFrameDecoder } from '../../daemon/ipc/frames.ts';
import { descriptorOf, sendWithDescriptor } from '../../daemon/ipc/send-descriptor.ts';
import { untilSeen, usualMs } from '../../tests/support/until.ts';
import { asanEnvironment, endpointBinary, frame, sanitizerReport } from '../common/test-endpoint.ts';

/** A TCP connection: the engine's end, which the endpoint gets, and the peer's. */
export interface Pair {
  readonly ours: Socket<undefined>;
  readonly peer: Socket<undefined>;
  /** What the peer received. */
  received(): Buffer;
  /** Writes from the peer, in order, however much its socket takes at a time. */
  write(bytes: Uint8Array): void;
}

const encoder = new TextEncoder();

async function openPair(): Promise<Pair> {
  const accepted = Promise.withResolvers<Socket<undefined>>();
  const listener = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { open: (socket) => accepted.resolve(socket), data: () => undefined, error: () => undefined },
  });
  const chunks: Buffer[] = [];
  let waiting: Uint8Array[] = [];
  const flush = (socket: Socket<undefined>): void => {
    while (waiting[0]) {
      const written = Math.max(0, socket.write(waiting[0]));
      if (written < waiting[0].length) {
        waiting[0] = waiting[0].subarray(written);
        return;
      }
      waiting = waiting.slice(1);
    }
  };
  const peer = await Bun.connect({
    hostname: '127.0.0.1',
    port: listener.port,
    socket: { data: (_socket, bytes) => void chunks.push(Buffer.from(bytes)), drain: flush, error: () => undefined },
  });
  const ours = await accepted.promise;
  listener.stop();
  ours.pause();
  ours.setNoDelay(true);
  return {
    ours,
    peer,
    received: () => Buffer.concat(chunks),
    write(bytes) {
      waiting.push(bytes);
      if (waiting.length === 1) flush(peer);
    },
  };
}

export type RtmpRig = Awaited<ReturnType<typeof startRig>>;

export async function startRig(build: 'asan' | 'plain' = 'asan') {
  const folder = mkdtempSync(join(tmpdir(), 'rtmp-endpoint-'));
  const path = join(folder, 'engine.sock');
  const connected = Promise.withResolvers<Socket<undefined>>();
  const events: RtmpEvent[] = [];
  /** Events and data frames in the order in which they came. */
  const arrived: (RtmpEvent | { readonly id: number; readonly bytes: Buffer })[] = [];
  const data = new Map<number, Buffer[]>();
  const pairs: Pair[] = [];
  const take = createFrameDecoder({
    control(text) {
      const event = readRtmpEvent(text);
      if (!event) return;
      events.push(event);
      arrived.push(event);
    },
    data(id, _flags, bytes) {
      const copy = Buffer.from(bytes);
      data.set(id, [...(data.get(id) ?? []), copy]);
      arrived.push({ id, bytes: copy });
    },
  });
  const listener = Bun.listen({
    unix: path,
    socket: { open: (socket) => connected.resolve(socket), data: (_socket, bytes) => take(bytes) },
  });
  const child = Bun.spawn([endpointBinary('rtmp', build), '--socket', path], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    env: asanEnvironment,
  });
  const errors = new Response(child.stderr).text();
  const engine = await connected.promise;
  const text = (operation: RtmpOperation | object) => frame('J', 0, encoder.encode(JSON.stringify(operation)));
  const rig = {
    child,
    engine,
    events,
    arrived,
    control: (bytes: string) => void engine.write(frame('J', 0, encoder.encode(bytes))),
    raw: (bytes: Uint8Array) => void engine.write(bytes),
    say: (operation: RtmpOperation) => void engine.write(text(operation)),
    /** Sends an operation with the engine's end of a connection. */
    give(operation: RtmpOperation | object, { ours }: Pair): void {
      expect(sendWithDescriptor(engine, text(operation), descriptorOf(ours))).toBeGreaterThan(0);
    },
    giveText(control: string, { ours }: Pair): void {
      sendWithDescriptor(engine, frame('J', 0, encoder.encode(control)), descriptorOf(ours));
    },
    /** Forgets what came so far, and closes all connections of the test. */
    forget(): void {
      events.length = 0;
      arrived.length = 0;
      data.clear();
      for (const { ours, peer } of pairs.splice(0)) {
        ours.terminate();
        peer.terminate();
      }
    },
    /** What came in data frames of this id. */
    data: (id: number) => Buffer.concat(data.get(id) ?? []),
    /** Waits for an event and takes it out of the list. */
    async event<Name extends RtmpEvent['ev']>(name: Name): Promise<Extract<RtmpEvent, { ev: Name }>> {
      const find = () => events.findIndex(({ ev }) => ev === name);
      await untilSeen(
        () => events,
        () => find() >= 0,
        usualMs,
        `event ${name}`,
      );
      return events.splice(find(), 1)[0] as Extract<RtmpEvent, { ev: Name }>;
    },
    /** Waits until everything said so far was done. Returns the figures of the players. */
    async settled() {
      return (await rig.stats()).list;
    },
    async stats() {
      rig.say({ op: 'report' });
      return rig.event('stats');
    },
    async pair(): Promise<Pair> {
      const pair = await openPair();
      pairs.push(pair);
      return pair;
    },
    /** A publisher of video (AVC) and audio (AAC) whose last frames had the time 0. */
    async publisher(id: number, change: object = {}): Promise<Pair> {
      const pair = await rig.pair();
      rig.give({ ...steady(id), ...change }, pair);
      return pair;
    },
    async player(id: number, publisher: number, message: number): Promise<Pair> {
      const pair = await rig.pair();
      rig.give({ op: 'player', id, publisher, message }, pair);
      return pair;
    },
    openFiles: () => readdirSync(`/proc/${child.pid}/fd`).length,
    stderr: () => errors,
    async close(): Promise<void> {
      rig.forget();
      if (child.exitCode === null) child.kill('SIGTERM');
      const code = await child.exited;
      engine.end();
      listener.stop(true);
      rmSync(folder, { recursive: true, force: true });
      expect(await errors).not.toMatch(sanitizerReport);
      // Not by a signal, nor by the sanitizer.
      expect([0, 2, 3]).toContain(code);
    },
  };
  await rig.event('hello');
  return rig;
}

/** The operation for a publisher that has sent headers and one frame of each type. */
export function steady(id: number) {
  return {
    op: 'publisher',
    id,
    chunk: 4096,
    streams: [],
    video: { format: 7, timestamp: 0, offset: 0 },
    audio: { format: 10, timestamp: 0, offset: 0 },
    headers: [],
  } as const;
}

export function video(timestamp: number, size = 1000, first = 0x27): OutgoingMessage {
  const payload = new Uint8Array(size).fill(timestamp & 0xff);
  payload.set([first, 1, 0, 0, 0]);
  return { type: 9, timestamp, payload };
}

export function audio(timestamp: number, size = 300): OutgoingMessage {
  const payload = new Uint8Array(size).fill(timestamp & 0xff);
  payload.set([0xaf, 1]);
  return { type: 8, timestamp, payload };
}

/** The messages that these bytes contain, as the engine reads them. */
export function readMessages(bytes: Uint8Array, chunkBytes: number): OutgoingMessage[] {
  const messages: OutgoingMessage[] = [];
  const reader = new ChunkReader(
    (type, _id, timestamp, payload) => messages.push({ type, timestamp, payload }),
    8 << 20,
  );
  const size = Buffer.alloc(16);
  size.set([2, 0, 0, 0, 0, 0, 4, 1]);
  size.writeUInt32BE(chunkBytes, 12);
  reader.feed(size);
  reader.feed(Buffer.from(bytes));
  return messages;
}
