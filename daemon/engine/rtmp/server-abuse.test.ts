/** The RTMP server on real sockets with misbehaving peers, beside one publisher and one player that behave well. */

import { afterEach, describe, expect, test } from 'bun:test';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { toLoopback } from '../../../tests/support/outgoing.ts';
import { until } from '../../../tests/support/until.ts';
import { encodeAmf } from '../flv/amf0.ts';
import { createFlvBus, type FlvMessage } from '../flv/flv-bus.ts';
import { createFlvSink } from '../flv/flv-sink.ts';
import { encodeMessages, uint32Message } from './chunk-writer.ts';
import { commandMessage } from './commands.ts';
import { type EngineDouble, startEngineDouble } from './engine-double-for-test.ts';
import { ClientHandshake } from './handshake.ts';
import { RtmpPush } from './push.ts';
import { startScriptedPlayer } from './scripted-player-for-test.ts';

const engines: EngineDouble[] = [];
afterEach(() => {
  for (const engine of engines.splice(0)) engine.server.close('test over');
});

function startEngine(...options: Parameters<typeof startEngineDouble>): EngineDouble {
  const engine = startEngineDouble(...options);
  engines.push(engine);
  return engine;
}

const frame = (timestamp: number, size = 1000, first = 0x17): FlvMessage => {
  const payload = new Uint8Array(size).fill(timestamp & 0xff);
  payload.set([first, 1, 0, 0, 0]);
  return { type: 9, timestamp, payload };
};
const header: FlvMessage = { type: 9, timestamp: 0, payload: Uint8Array.of(0x17, 0, 0, 0, 0, 1) };

/** A well-behaved publisher whose frames the test makes. */
async function startSource(engine: EngineDouble) {
  const bus = createFlvBus();
  const sink = createFlvSink(bus);
  const push = new RtmpPush({
    outgoing: toLoopback,
    url: engine.url('push'),
    key: '',
    bus,
    onStage: () => {},
    onEnd: () => {},
  });
  push.start();
  await until(() => engine.isPublishing());
  const send = (...messages: FlvMessage[]): void => {
    for (const message of messages) sink.message(message);
    sink.flush();
  };
  return { push, send };
}

async function connectRaw(port: number) {
  const closed = Promise.withResolvers<void>();
  let bytes = 0;
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      data: (_socket, data) => {
        bytes += data.length;
      },
      close: () => closed.resolve(),
    },
  });
  return { socket, closed: closed.promise, bytes: () => bytes };
}

/** Opens a silent connection from an address of this machine such as 127.0.0.9; resolves when it is open. */
async function connectSilent(port: number, from: string) {
  const socket = createConnection({ host: '127.0.0.1', port, localAddress: from });
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  await once(socket, 'connect');
  return { closed };
}

async function connectShaken(port: number) {
  const raw = await connectRaw(port);
  raw.socket.write(new ClientHandshake().hello());
  await until(() => raw.bytes() >= 3073);
  raw.socket.write(new Uint8Array(1536));
  return raw;
}

const connect = commandMessage(0, 'connect', 1, { app: 'live' });
const bomb = Buffer.from('03000161'.repeat(2000), 'hex');

describe('a peer that', () => {
  const cases: [name: string, attack: (port: number) => Promise<{ closed: Promise<void> }>, reason: string][] = [
    [
      'speaks HTTP',
      async (port) => {
        const raw = await connectRaw(port);
        raw.socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
        return raw;
      },
      'not RTMP: HTTP or other text',
    ],
    [
      'sends random bytes after the handshake',
      async (port) => {
        const raw = await connectShaken(port);
        raw.socket.write(Buffer.from('ff'.repeat(3000), 'hex'));
        return raw;
      },
      'begins without a header',
    ],
    [
      'announces a chunk size of 0',
      async (port) => {
        const raw = await connectShaken(port);
        raw.socket.write(uint32Message(1, 0));
        return raw;
      },
      'chunk size of 0 bytes',
    ],
    [
      'sends an AMF bomb',
      async (port) => {
        const raw = await connectShaken(port);
        const payload = Buffer.concat([encodeAmf('connect', 1), bomb]);
        raw.socket.write(encodeMessages([{ type: 20, timestamp: 0, payload }], 0, 128));
        return raw;
      },
      'AMF nested deeper than 16',
    ],
    [
      'stops in half a handshake',
      async (port) => {
        const raw = await connectRaw(port);
        raw.socket.write(Buffer.concat([Buffer.of(3), Buffer.alloc(700)]));
        return raw;
      },
      'handshake not finished in time',
    ],
    [
      'connects and then says nothing',
      async (port) => {
        const raw = await connectShaken(port);
        raw.socket.write(connect);
        return raw;
      },
      'neither published nor played in time',
    ],
  ];

  test.each(cases)('%s is ended with that reason, and others are not affected', async (_name, attack, reason) => {
    const engine = startEngine({ handshakeMs: 300, idleMs: 300, publisherIdleMs: 60_000 });
    const source = await startSource(engine);
    const player = await startScriptedPlayer(engine.server.port, 'play');
    await until(() => engine.bus.ring.subscribers === 1);
    source.send(header, frame(0));
    const { closed } = await attack(engine.server.port);
    await closed;
    expect(engine.logs.some((line) => line.startsWith('warn') && line.includes(reason))).toBe(true);
    source.send(frame(40));
    await until(() => player.media.length >= 3);
    expect(player.media.at(-1)?.timestamp).toBe(40);
    expect(engine.server.connections).toBe(2);
  });

  test('publishes and stops in mid-packet is ended, and the key is free again', async () => {
    const engine = startEngine({ publisherIdleMs: 300 });
    const raw = await connectShaken(engine.server.port);
    raw.socket.write(Buffer.concat([connect, commandMessage(1, 'publish', 2, null, 'push', 'live')]));
    await until(() => engine.isPublishing());
    raw.socket.write(encodeMessages([frame(0, 50_000)], 1, 128).subarray(0, 20_000));
    await raw.closed;
    expect(engine.ends).toEqual([expect.stringContaining('publisher: sent nothing for')]);
    await startSource(engine);
    expect(engine.isPublishing()).toBe(true);
  });
});

describe('a frozen player', () => {
  test('takes no memory beyond the ring, disturbs no other client, and is dropped', async () => {
    const engine = startEngine({ stallMs: 1500, publisherIdleMs: 60_000 });
    const source = await startSource(engine);
    const healthy = await startScriptedPlayer(engine.server.port, 'play');
    const frozen = await startScriptedPlayer(engine.server.port, 'play');
    await until(() => engine.bus.ring.subscribers === 2);
    frozen.socket.pause();
    let sent = 0;
    source.send(header);
    // 60 MB, far beyond what kernel and ring hold, at the pace of the healthy player.
    while (sent < 240) {
      source.send(frame(sent * 40, 256 << 10, sent % 10 === 0 ? 0x17 : 0x27));
      sent++;
      await until(() => healthy.media.length >= sent + 1);
      expect(engine.bus.ring.heldBytes).toBeLessThanOrEqual(17 << 20);
    }
    const frames = healthy.media.filter(({ payload }) => payload.length > 10);
    expect(frames.map(({ timestamp }) => timestamp)).toEqual(Array.from({ length: 240 }, (_, i) => i * 40));
    await until(() => engine.ends.length > 0);
    expect(engine.ends).toEqual([expect.stringMatching(/^player: took no data for [12] s$/)]);
    expect(engine.bus.ring.subscribers).toBe(1);
  }, 20_000);

  test('that resumes in time continues at a key frame, without the headers that it has', async () => {
    const engine = startEngine({ publisherIdleMs: 60_000 });
    const source = await startSource(engine);
    const healthy = await startScriptedPlayer(engine.server.port, 'play');
    const sleepy = await startScriptedPlayer(engine.server.port, 'play');
    await until(() => engine.bus.ring.subscribers === 2);
    sleepy.socket.pause();
    source.send(header);
    for (let sent = 0; sent < 120; sent++) {
      source.send(frame(sent * 40, 256 << 10, sent % 10 === 0 ? 0x17 : 0x27));
      await until(() => healthy.media.length >= sent + 2);
    }
    sleepy.socket.resume();
    await until(() => sleepy.media.at(-1)?.timestamp === 119 * 40);
    const jump = sleepy.media.findIndex(({ timestamp }, i) => timestamp - (sleepy.media[i - 1]?.timestamp ?? 0) > 40);
    expect(jump).toBeGreaterThan(0);
    expect([...sleepy.media[jump]!.payload.subarray(0, 2)]).toEqual([0x17, 1]);
    // The unit that was partly sent before the jump arrived complete.
    expect(sleepy.media.every(({ payload }) => payload.length === 6 || payload.length === 256 << 10)).toBe(true);
  }, 20_000);
});

test('enhanced RTMP passes byte for byte: HEVC, AV1, Opus and unknown codecs', async () => {
  const engine = startEngine();
  const source = await startSource(engine);
  const player = await startScriptedPlayer(engine.server.port, 'play');
  await until(() => engine.bus.ring.subscribers === 1);
  const tag = (type: 8 | 9, first: number, codec: string, ...rest: number[]): FlvMessage => ({
    type,
    timestamp: 0,
    payload: Uint8Array.of(first, ...Buffer.from(codec), ...rest),
  });
  const messages = [
    tag(9, 0x90, 'hvc1', 1, 2, 3),
    tag(8, 0x90, 'Opus', 1, 2),
    tag(9, 0x91, 'hvc1', 0, 0, 0, 9),
    tag(8, 0x91, 'Opus', 5),
    tag(9, 0xa3, 'av01', 7),
    tag(9, 0xa3, 'xyz1', 7),
  ];
  source.send(...messages);
  await until(() => player.media.length >= messages.length);
  const hex = ({ payload }: { payload: Uint8Array }) => Buffer.from(payload).toString('hex');
  expect(player.media.map(hex)).toEqual(messages.map(hex));
  expect(engine.sinks[0]?.media?.audio).toMatchObject({ codec: 'opus' });
});

describe('the listener', () => {
  test('accepts no more connections than its limit, and continues when one leaves', async () => {
    const engine = startEngine({}, 2);
    const first = await connectRaw(engine.server.port);
    await connectRaw(engine.server.port);
    await until(() => engine.server.connections === 2);
    const third = await connectRaw(engine.server.port);
    await third.closed;
    expect(engine.logs.at(-1)).toContain('RTMP connection refused: all 2 places are taken');
    first.socket.end();
    await until(() => engine.server.connections === 1);
    await connectRaw(engine.server.port);
    await until(() => engine.server.connections === 2);
  });

  test('lets an encoder connect, and keeps streams running, while others hold all places and renew them', async () => {
    const engine = startEngine({}, 24);
    const player = await startScriptedPlayer(engine.server.port, 'play');
    await until(() => engine.bus.ring.subscribers === 1);
    for (const from of ['127.0.0.9', '127.0.0.10']) {
      for (let n = 0; n < 16; n++) await connectSilent(engine.server.port, from);
    }
    await until(() => engine.server.connections === 24);
    for (let n = 0; n < 5; n++) {
      const source = await startSource(engine);
      source.send(header, frame(40 * n));
      // The header once, and each frame.
      await until(() => player.media.length === 1 + n + 1, 5000, 'the player gets the stream');
      await source.push.stop();
      await until(() => !engine.isPublishing());
      for (let i = 0; i < 16; i++) await connectSilent(engine.server.port, '127.0.0.9');
    }
    expect(engine.server.connections).toBe(24);
  });

  test('limits the connections of one address that neither publish nor play', async () => {
    const engine = startEngine();
    for (let n = 0; n < 16; n++) await connectSilent(engine.server.port, '127.0.0.9');
    await until(() => engine.server.connections === 16);
    await (await connectSilent(engine.server.port, '127.0.0.9')).closed;
    expect(engine.logs.at(-1)).toContain('16 connections of this address neither publish nor play');
    await connectSilent(engine.server.port, '127.0.0.10');
    await until(() => engine.server.connections === 17);
  });

  test('moves to another port while streams continue', async () => {
    const engine = startEngine();
    const source = await startSource(engine);
    const player = await startScriptedPlayer(engine.server.port, 'play');
    await until(() => engine.bus.ring.subscribers === 1);
    const before = engine.server.port;
    engine.server.rebind('127.0.0.1', 0);
    expect(engine.server.port).not.toBe(before);
    source.send(header, frame(0));
    await until(() => player.media.length === 2);
    const late = await startScriptedPlayer(engine.server.port, 'play');
    await until(() => late.media.length === 2);
    const attempt = connectRaw(before).then(
      () => 'connected',
      (error: { code?: string }) => error.code,
    );
    expect(await attempt).toBe('ECONNREFUSED');
  });

  test('keeps its port when the other one is in use', () => {
    const engine = startEngine();
    const taken = startEngine();
    expect(() => engine.server.rebind('127.0.0.1', taken.server.port)).toThrow();
    expect(engine.server.port).toBeGreaterThan(0);
  });

  test('ends all clients with its reason when it closes', async () => {
    const engine = startEngine();
    await startSource(engine);
    const player = await startScriptedPlayer(engine.server.port, 'play');
    await until(() => engine.bus.ring.subscribers === 1);
    engine.server.close('engine stops');
    await player.closed;
    expect(engine.ends.sort()).toEqual(['player: engine stops', 'publisher: engine stops']);
    expect(engine.server.connections).toBe(0);
  });
});
