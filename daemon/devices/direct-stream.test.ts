import { afterEach, describe, expect, test } from 'bun:test';
import type { Socket } from 'bun';
import { privateAllowed } from '../../tests/support/outgoing.ts';
import { until } from '../../tests/support/until.ts';
import { createOutgoing, type Lookup } from '../lib/outgoing.ts';
import type { ByteStream } from '../link/byte-stream.ts';
import type { StreamCode } from '../link/codes.ts';
import { duplexOf } from '../link/duplex.ts';
import { maxAttempts, openDirectStream } from './direct-stream.ts';

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const outgoingWith = (lookup: Lookup) =>
  createOutgoing({ rules: () => privateAllowed, lookup, lookupMs: 1000, connectMs: 1000 });
const outgoing = outgoingWith(() => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })));
const open = (port: number, host = '127.0.0.1', mayBeOwn = true): ByteStream =>
  openDirectStream({ host, port, mayBeOwn }, { outgoing, connectMs: 5000 });

interface Peer {
  readonly port: number;
  readonly sockets: Socket[];
  received: number;
  ends: number;
}

/** A port of a device. */
function listen(on: { data?: (socket: Socket, bytes: Buffer) => void; end?: (socket: Socket) => void } = {}): Peer {
  const listener = Bun.listen({
    ...{ hostname: '127.0.0.1', port: 0, allowHalfOpen: true },
    socket: {
      open: (socket) => void peer.sockets.push(socket),
      data(socket, bytes) {
        peer.received += bytes.length;
        on.data?.(socket, bytes);
      },
      end(socket) {
        peer.ends += 1;
        on.end?.(socket);
      },
    },
  });
  stops.push(() => listener.stop(true));
  const peer: Peer = { port: listener.port, sockets: [], received: 0, ends: 0 };
  return peer;
}

const codeOf = (stream: ByteStream): Promise<StreamCode | undefined> => duplexOf(stream).closed;

async function readAll(stream: ReturnType<typeof duplexOf>): Promise<string> {
  let text = '';
  for (let bytes = await stream.read(); bytes !== undefined; bytes = await stream.read()) text += Buffer.from(bytes);
  return text;
}

test('each direction ends by itself', async () => {
  const peer = listen({ end: (socket) => void socket.write('the answer follows the end') });
  const stream = duplexOf(open(peer.port));
  await stream.write(Buffer.from('a question'));
  stream.end();
  const answer = readAll(stream);
  await until(() => peer.ends === 1);
  peer.sockets[0]?.end();
  expect(await answer).toBe('the answer follows the end');
  expect(await stream.closed).toBeUndefined();
  expect(peer.received).toBe('a question'.length);
});

test('what is ended before the connection is there arrives', async () => {
  const peer = listen({ end: (socket) => void socket.end('done') });
  const stream = duplexOf(open(peer.port));
  stream.end();
  expect(await readAll(stream)).toBe('done');
});

test('a user who takes a piece and asks for no more stops the device, too', async () => {
  const block = Buffer.alloc(1 << 20, 7);
  let sent = 0;
  const fill = (socket: Socket) => {
    for (let taken = socket.write(block); taken > 0; taken = socket.write(block)) sent += taken;
  };
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { open: fill, drain: fill, data() {} } });
  stops.push(() => listener.stop(true));
  const stream = open(listener.port);
  let pieces = 0;
  // Like a port forward whose client does not read.
  const takeOne = () => {
    if (pieces === 0 && stream.read() !== undefined) pieces += 1;
  };
  stream.attach({ readable: takeOne, writable() {}, closed() {} });
  await until(() => pieces === 1);
  let last = -1;
  await until(() => {
    const isSteady = sent === last;
    last = sent;
    return isSteady;
  });
  expect(stream.isClosed).toBe(false);
  const before = sent;
  await until(() => {
    while (stream.read() !== undefined);
    return sent > before;
  });
});

test('a user who does not read stops the device after one piece', async () => {
  const block = Buffer.alloc(1 << 20, 7);
  let sent = 0;
  const fill = (socket: Socket) => {
    for (let taken = socket.write(block); taken > 0; taken = socket.write(block)) sent += taken;
  };
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { open: fill, drain: fill, data() {} } });
  stops.push(() => listener.stop(true));
  const stream = open(listener.port);
  let pieces = 0;
  stream.attach({ readable: () => pieces++, writable() {}, closed() {} });
  await until(() => pieces > 0);
  let last = -1;
  // The buffers of the system fill up, and then nothing moves any more.
  await until(() => {
    const isSteady = sent === last;
    last = sent;
    return isSteady;
  });
  expect(pieces).toBe(1);
  expect(stream.read()!.length).toBeLessThanOrEqual(512 << 10);
  // Wanting more continues it.
  expect(stream.read()).toBeUndefined();
  await until(() => pieces === 2);
  stream.reset('cancelled');
});

test('a device that does not read takes no more', async () => {
  const peer = listen();
  const stream = open(peer.port);
  await until(() => peer.sockets.length > 0);
  peer.sockets[0]?.pause();
  stream.attach({ readable() {}, writable() {}, closed() {} });
  const block = Buffer.alloc(1 << 20);
  let taken = 0;
  await until(() => {
    const one = stream.write(block);
    taken += one;
    return one === 0 && taken > 0;
  });
  peer.sockets[0]?.resume();
  await until(() => peer.received === taken);
  stream.reset('cancelled');
});

describe('the stream ends with the code', () => {
  test('refused, if nothing listens', async () => {
    const peer = listen();
    stops.pop()?.();
    expect(await codeOf(open(peer.port))).toBe('refused');
  });

  test('refused, if the device breaks the connection', async () => {
    const peer = listen({ data: (socket) => void socket.terminate() });
    const stream = duplexOf(open(peer.port));
    await stream.write(Buffer.from('x'));
    expect(await stream.closed).toBe('refused');
  });

  test.each(['169.254.169.254', '0.0.0.0', '224.0.0.1'])('notPermitted for %s', async (host) => {
    expect(await codeOf(open(80, host))).toBe('notPermitted');
  });

  test('notPermitted for another port of this machine, also by a name', async () => {
    const peer = listen();
    expect(await codeOf(open(peer.port, '127.0.0.1', false))).toBe('notPermitted');
    const to = { host: 'device.example', port: peer.port, mayBeOwn: false };
    const named = outgoingWith(() => Promise.resolve(['127.0.0.2']));
    expect(await codeOf(openDirectStream(to, { outgoing: named, connectMs: 5000 }))).toBe('notPermitted');
    expect(peer.sockets).toEqual([]);
  });

  test('offline for a name that does not exist', async () => {
    expect(await codeOf(open(80, 'device.example'))).toBe('offline');
  });

  test('busy, if too many connections are being opened', async () => {
    const peer = listen();
    const streams = Array.from({ length: maxAttempts + 10 }, () => open(peer.port));
    const codes: (StreamCode | undefined)[] = [];
    for (const stream of streams) stream.attach({ readable() {}, writable() {}, closed: (code) => codes.push(code) });
    await until(() => peer.sockets.length === maxAttempts);
    expect(codes).toEqual(Array.from({ length: 10 }, () => 'busy'));
    for (const stream of streams) stream.reset('cancelled');
    // There is room again.
    const again = duplexOf(open(peer.port));
    await again.write(Buffer.from('x'));
    await until(() => peer.received === 1);
    again.reset('cancelled');
  });

  test('timedOut, if nothing answers', async () => {
    const never = { resolve: () => new Promise<never>(() => {}) };
    const stream = openDirectStream({ host: 'x', port: 80, mayBeOwn: false }, { outgoing: never, connectMs: 20 });
    expect(await codeOf(stream)).toBe('timedOut');
  });
});
