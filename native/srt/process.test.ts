/** The process itself: what it says, how it ends, and control frames that make no sense. */
import { afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Socket, Subprocess } from 'bun';
import { type EndpointEvent, readEvent } from '../../daemon/media/srt/protocol.ts';
import { createFrameDecoder } from '../../daemon/media/srt/wire.ts';
import { asanEnvironment, endpointBinary, freeUdpPort, sanitizerReport, until } from './test-rig.ts';

setDefaultTimeout(20_000);

/** The engine's end of the socket, bare. */
interface Bare {
  readonly child: Subprocess<'ignore', 'pipe', 'pipe'>;
  readonly socket: Socket<undefined>;
  readonly events: EndpointEvent[];
  control(text: string): void;
  data(id: number, flags: number, bytes: Uint8Array): void;
  raw(bytes: Uint8Array): void;
  stderr(): Promise<string>;
  close(): void;
}

const encoder = new TextEncoder();
let binary = '';
let bare: Bare;

beforeAll(() => {
  binary = endpointBinary('asan');
  endpointBinary('plain');
}, 120_000);
afterEach(async () => {
  bare.child.kill('SIGKILL');
  await bare.child.exited;
  bare.close();
});

function frame(kind: string, id: number, payload: Uint8Array, flags = 0): Uint8Array {
  const bytes = new Uint8Array(12 + payload.length);
  const view = new DataView(bytes.buffer);
  bytes.set([kind.charCodeAt(0), flags]);
  view.setUint32(4, id, true);
  view.setUint32(8, payload.length, true);
  bytes.set(payload, 12);
  return bytes;
}

async function startBare(): Promise<Bare> {
  const folder = mkdtempSync(join(tmpdir(), 'srt-process-'));
  const path = join(folder, 'engine.sock');
  const events: EndpointEvent[] = [];
  let socket: Socket<undefined> | undefined;
  const take = createFrameDecoder({
    control(text) {
      const event = readEvent(text);
      if (!event) throw new Error(`no event: ${text}`);
      events.push(event);
    },
    data() {},
  });
  // What the socket doesn't take at once waits here.
  let rest: Uint8Array[] = [];
  const flush = () => {
    while (rest[0] && socket) {
      const written = socket.write(rest[0]);
      if (written < rest[0].length) {
        rest[0] = rest[0].subarray(Math.max(0, written));
        return;
      }
      rest = rest.slice(1);
    }
  };
  const listener = Bun.listen({
    unix: path,
    socket: {
      open(opened) {
        socket = opened;
      },
      data: (_socket, chunk) => take(chunk),
      drain: flush,
    },
  });
  const child = Bun.spawn([binary, '--socket', path], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: asanEnvironment,
  });
  const errors = new Response(child.stderr).text();
  await until('hello', () => events.some((event) => event.ev === 'hello'));
  if (!socket) throw new Error('never connected');
  const raw = (bytes: Uint8Array) => {
    rest.push(bytes);
    flush();
  };
  return {
    child,
    socket,
    events,
    raw,
    control: (text) => raw(frame('J', 0, encoder.encode(text))),
    data: (id, flags, bytes) => raw(frame('D', id, bytes, flags)),
    stderr: () => errors,
    close() {
      listener.stop(true);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const errorsOf = (events: readonly EndpointEvent[]) => events.filter((event) => event.ev === 'error');

test('it tells its version and that of libsrt', async () => {
  bare = await startBare();
  expect(bare.events[0]).toMatchObject({ ev: 'hello', version: 1, libsrt: expect.stringMatching(/^1\.\d+\.\d+$/) });
  const said = Bun.spawnSync([binary, '--version']);
  expect(said.exitCode).toBe(0);
  expect(said.stdout.toString()).toMatch(/^srt-endpoint 1, libsrt 1\.\d+\.\d+\n$/);
  expect(Bun.spawnSync([binary]).exitCode).toBe(1);
  expect(Bun.spawnSync([binary, '--socket', '/nonexistent/path']).exitCode).toBe(1);
});

test('it ends with 0 when the engine goes, with a listener and a call open', async () => {
  bare = await startBare();
  const port = await freeUdpPort();
  bare.control(`{"op":"listen","bind":"127.0.0.1","port":${port}}`);
  bare.control(`{"op":"call","id":1,"host":"127.0.0.1","port":${await freeUdpPort()},"direction":"send"}`);
  bare.data(0, 1, new Uint8Array(188).fill(0x47));
  await until('it listens', () => bare.events.some((event) => event.ev === 'listening'));
  bare.socket.end();
  expect(await bare.child.exited).toBe(0);
  expect(await bare.stderr()).toBe('');
});

test('it ends with 0 on SIGTERM', async () => {
  bare = await startBare();
  bare.child.kill('SIGTERM');
  expect(await bare.child.exited).toBe(0);
  expect(await bare.stderr()).toBe('');
});

const senseless = [
  '',
  '{',
  'null',
  '[]',
  '{"op":5}',
  '{"op":"explode"}',
  '{"op":"listen","port":0}',
  '{"op":"listen","port":70000}',
  '{"op":"listen","port":8000.5}',
  '{"op":"listen","port":8000,"latency":-1}',
  '{"op":"listen","port":8000,"passphrase":"short"}',
  '{"op":"listen","port":8000,"pbkeylen":17}',
  '{"op":"keys"}',
  '{"op":"keys","list":{}}',
  '{"op":"keys","list":[7]}',
  '{"op":"keys","list":[{"push":"x"}]}',
  `{"op":"keys","list":[{"feed":1,"push":"${'x'.repeat(200)}"}]}`,
  '{"op":"call","id":1}',
  '{"op":"call","id":1,"host":"","port":1,"direction":"send"}',
  '{"op":"call","id":1,"host":"h","port":1,"direction":"sideways"}',
  '{"op":"call","id":1,"host":"h","port":1,"direction":"send","oheadbw":2}',
  '{"op":"kick","conn":-1}',
  '{"op":"kick","conn":1e400}',
  '{"op":"kick","conn":01}',
  '{"op":"kick","conn":1}x',
  '{"op":"hangup","id":"1"}',
  '{"op":"drop-feed"}',
  '{"op":"\\u0000"}',
  '{"op":"\\ud800"}',
  '{"op":"kick\n"}',
  `${'['.repeat(100_000)}`,
  `{"a":${'['.repeat(20)}${']'.repeat(20)}}`,
  `[${'1,'.repeat(200_000)}1]`,
];

test('control frames without sense are answered with an error each, and change nothing', async () => {
  bare = await startBare();
  for (const text of senseless) {
    const before = errorsOf(bare.events).length;
    bare.control(text);
    await until(`an error for ${text.slice(0, 60)}`, () => errorsOf(bare.events).length > before);
  }
  expect(bare.events.filter((event) => event.ev !== 'error' && event.ev !== 'hello')).toEqual([]);
  bare.data(1, 0, new Uint8Array(100));
  const port = await freeUdpPort();
  bare.control(`{"op":"listen","bind":"127.0.0.1","port":${port}}`);
  await until('it listens', () => bare.events.some((event) => event.ev === 'listening'));
  bare.socket.end();
  expect(await bare.child.exited).toBe(0);
  expect(await bare.stderr()).not.toMatch(sanitizerReport);
});

test('a frame that is none ends it with 2 and a reason', async () => {
  bare = await startBare();
  bare.raw(encoder.encode('GET / HTTP/1.1\r\n\r\n'));
  expect(await bare.child.exited).toBe(2);
  expect(await bare.stderr()).toContain('no frame');
});

test('a frame over the limit ends it with 2 and a reason', async () => {
  bare = await startBare();
  const header = frame('D', 1, new Uint8Array(0));
  new DataView(header.buffer).setUint32(8, 0xffffffff, true);
  bare.raw(header);
  expect(await bare.child.exited).toBe(2);
  expect(await bare.stderr()).toContain('too long');
});

test('many feeds, tables and torn frames are taken without a fault', async () => {
  bare = await startBare();
  const packets = new Uint8Array(188 * 500).fill(0x47);
  for (let feed = 0; feed < 40; feed++) {
    bare.data(feed, 2, packets.subarray(0, 188 * 2));
    for (let i = 0; i < 12; i++) {
      const whole = frame('D', feed, packets, i % 3 === 0 ? 1 : 0);
      bare.raw(whole.subarray(0, 5));
      bare.raw(whole.subarray(5, 6000));
      bare.raw(whole.subarray(6000));
    }
    if (feed % 2 === 0) bare.control(`{"op":"drop-feed","feed":${feed}}`);
  }
  bare.control('{"op":"unknown"}');
  await until('all was read', () => errorsOf(bare.events).length > 0, 10_000);
  expect(errorsOf(bare.events)).toHaveLength(1);
  bare.socket.end();
  expect(await bare.child.exited).toBe(0);
  expect(await bare.stderr()).toBe('');
});

test('a taken port is told as busy, and listening elsewhere works after it', async () => {
  bare = await startBare();
  const taken = await Bun.udpSocket({ hostname: '127.0.0.1' });
  bare.control(`{"op":"listen","bind":"127.0.0.1","port":${taken.port}}`);
  await until('it says so', () => bare.events.some((event) => event.ev === 'listen-failed'));
  expect(bare.events.at(-1)).toMatchObject({ ev: 'listen-failed', port: taken.port, busy: true });
  const port = await freeUdpPort();
  taken.close();
  bare.control(`{"op":"listen","bind":"::","port":${port}}`);
  await until('it listens', () => bare.events.some((event) => event.ev === 'listening'));
  // The same port again, with other settings.
  bare.control(`{"op":"listen","bind":"::","port":${port},"latency":200}`);
  await until('it listens again', () => bare.events.filter((event) => event.ev === 'listening').length === 2);
});

test('it needs next to no processor time while nothing is connected', async () => {
  binary = endpointBinary('plain');
  bare = await startBare();
  binary = endpointBinary('asan');
  bare.control(`{"op":"listen","bind":"127.0.0.1","port":${await freeUdpPort()}}`);
  await until('it listens', () => bare.events.some((event) => event.ev === 'listening'));
  // Of the main thread: libsrt's own look every 10 ms whether a packet came.
  const file = `/proc/${bare.child.pid}/task/${bare.child.pid}/status`;
  const switches = () => Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(readFileSync(file, 'utf8'))?.[1]);
  const before = switches();
  await Bun.sleep(500);
  expect(switches() - before).toBeLessThanOrEqual(2);
});
