import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { privateRefused, toLoopback, withNames } from '../../../tests/support/outgoing.ts';
import { until } from '../../../tests/support/until.ts';
import { encodeAmf } from '../flv/amf0.ts';
import { createFlvBus, type FlvBus, type FlvMessage } from '../flv/flv-bus.ts';
import { createFlvSink, type FlvSink } from '../flv/flv-sink.ts';
import type { RtmpFailure } from './client-failure.ts';
import { type Command, errorMessage, resultMessage, statusMessage } from './commands.ts';
import { RtmpPush, type RtmpPushOptions } from './push.ts';
import {
  refuseLogin,
  type ScriptedServer,
  type ScriptOptions,
  startScriptedServer,
} from './scripted-server-for-test.ts';

setDefaultTimeout(30_000);

const video = (timestamp: number, size = 6): FlvMessage => {
  const payload = new Uint8Array(size).fill(timestamp & 0xff);
  payload.set([0x17, 1, 0, 0, 0]);
  return { type: 9, timestamp, payload };
};
const videoHeader: FlvMessage = { type: 9, timestamp: 0, payload: Uint8Array.of(0x17, 0, 0, 0, 0, 1) };
const metadata: FlvMessage = { type: 18, timestamp: 0, payload: encodeAmf('onMetaData', { width: 320 }) };

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

function serve(options: ScriptOptions): ScriptedServer {
  const server = startScriptedServer(options);
  cleanups.push(() => server.stop());
  return server;
}

/** A server that accepts everything, on the given message stream. */
function welcome({ name, transaction }: Command, streamId = 1): Uint8Array[] {
  if (name === 'connect') return [resultMessage(transaction, {}, { code: 'NetConnection.Connect.Success' })];
  if (name === 'createStream') return [resultMessage(transaction, null, streamId)];
  return name === 'publish' ? [statusMessage(streamId, 'status', 'NetStream.Publish.Start', '')] : [];
}

interface Bench {
  readonly push: RtmpPush;
  readonly bus: FlvBus;
  readonly sink: FlvSink;
  readonly stages: string[];
  /** Resolves to the failure, or to undefined after a stop. */
  readonly ended: Promise<RtmpFailure | undefined>;
  /** Resolves when media may flow. */
  readonly streaming: Promise<void>;
}

function start(options: Partial<RtmpPushOptions> & { readonly url: string }): Bench {
  // Wide enough that nothing is skipped, however slow the server is.
  const bus = createFlvBus({
    lagMs: 60_000,
    lagBytes: 64 << 20,
    ownBytes: 64 << 20,
    maxBytes: 64 << 20,
    maxMs: 60_000,
  });
  const sink = createFlvSink(bus);
  const stages: string[] = [];
  const ended = Promise.withResolvers<RtmpFailure | undefined>();
  const streaming = Promise.withResolvers<void>();
  const push = new RtmpPush({
    outgoing: toLoopback,
    key: 'stream-k3y',
    bus,
    onStage(stage) {
      stages.push(stage);
      if (stage === 'stream') streaming.resolve();
    },
    onEnd: ended.resolve,
    ...options,
  });
  push.start();
  cleanups.push(() => void push.stop());
  return { push, bus, sink, stages, ended: ended.promise, streaming: streaming.promise };
}

function send(sink: FlvSink, ...messages: FlvMessage[]): void {
  for (const message of messages) sink.message(message);
  sink.flush();
}

describe('a push', () => {
  test('goes through its stages and sends headers, then media', async () => {
    const server = serve({ answer: (command) => welcome(command) });
    const bench = start({ url: `rtmp://127.0.0.1:${server.port}/live` });
    await bench.streaming;
    send(bench.sink, metadata, videoHeader, video(40));
    await until(() => server.media.length === 3);
    expect(bench.stages).toEqual(['dns', 'tcp', 'handshake', 'connect', 'publish', 'stream']);
    expect(server.commands.map(({ name }) => name)).toEqual([
      'connect',
      'releaseStream',
      'FCPublish',
      'createStream',
      'publish',
    ]);
    expect(server.commands[0]?.object).toMatchObject({
      app: 'live',
      tcUrl: `rtmp://127.0.0.1:${server.port}/live`,
    });
    expect(server.commands.at(-1)?.args).toEqual(['stream-k3y', 'live']);
    const [first] = server.media;
    const stored = Buffer.concat([encodeAmf('@setDataFrame'), metadata.payload]);
    expect(Buffer.from(first?.payload ?? [])).toEqual(stored);
    expect(server.media.map(({ type, timestamp }) => [type, timestamp])).toEqual([
      [18, 0],
      [9, 40],
      [9, 40],
    ]);
    expect(bench.push.stats()).toMatchObject({ stage: 'stream', stalledMs: 0 });
    expect(bench.push.stats().bytesOut).toBeGreaterThan(3073);
  });

  test('uses the message stream its server chose', async () => {
    const server = serve({ answer: (command) => welcome(command, 5) });
    const bench = start({ url: `rtmp://127.0.0.1:${server.port}/live` });
    await bench.streaming;
    send(bench.sink, videoHeader, video(0));
    await until(() => server.media.length === 2);
    expect(server.media.map(({ streamId }) => streamId)).toEqual([5, 5]);
  });

  test('tells the server when it stops, and ends without a failure', async () => {
    const server = serve({ answer: (command) => welcome(command) });
    const bench = start({ url: `rtmp://127.0.0.1:${server.port}/live` });
    await bench.streaming;
    await bench.push.stop();
    expect(await bench.ended).toBeUndefined();
    await until(() => server.commands.length === 7);
    expect(server.commands.slice(-2).map(({ name, args }) => [name, args[0]])).toEqual([
      ['FCUnpublish', 'stream-k3y'],
      ['deleteStream', 1],
    ]);
    expect(bench.bus.ring.subscribers).toBe(0);
  });

  test('can be stopped while it waits for an answer', async () => {
    const server = serve({ answer: () => [] });
    const bench = start({ url: `rtmp://127.0.0.1:${server.port}/live` });
    await until(() => server.commands.length === 1);
    await bench.push.stop();
    expect(await bench.ended).toBeUndefined();
  });
});

describe('a failure', () => {
  const failureOf = async (options: Partial<RtmpPushOptions> & { readonly url: string }) => {
    const failure = await start({ stageTimeoutMs: 300, ...options }).ended;
    return failure && { stage: failure.stage, permanent: failure.permanent, text: failure.message };
  };

  test('connects to the address that was checked, without another lookup', async () => {
    const server = serve({ answer: (command) => welcome(command) });
    const outgoing = withNames({ 'server.example': ['127.0.0.1', '169.254.169.254'] });
    await start({ url: `rtmp://server.example:${server.port}/live`, outgoing }).streaming;
    expect(server.commands[0]?.object.tcUrl).toBe(`rtmp://server.example:${server.port}/live`);
  });

  test('does not connect to an address that is not allowed', async () => {
    const server = serve({ answer: (command) => welcome(command) });
    const outgoing = withNames({ 'server.example': ['127.0.0.1'] }, privateRefused);
    const { ended, stages } = start({ url: `rtmp://server.example:${server.port}/live`, outgoing });
    expect(await ended).toMatchObject({ stage: 'address', permanent: true });
    expect([stages, server.sockets.length]).toEqual([['dns'], 0]);
  });

  test('reports an invalid address and a host that does not exist', async () => {
    expect(await failureOf({ url: 'http://127.0.0.1/live' })).toMatchObject({ stage: 'dns', permanent: true });
    const unknown = await failureOf({ url: 'rtmp://name.invalid/live', stageTimeoutMs: 5000 });
    expect(unknown).toMatchObject({ stage: 'dns' });
  });

  test('reports a closed port', async () => {
    const server = serve({ answer: () => [] });
    server.stop();
    const failure = await failureOf({ url: `rtmp://127.0.0.1:${server.port}/live` });
    expect(failure).toEqual({ stage: 'tcp', permanent: false, text: 'connection refused' });
  });

  test('reports a handshake, a connect and a publish that are never answered', async () => {
    const mute = serve({ answer: () => [], canHandshake: false });
    const text = 'no answer in time';
    expect(await failureOf({ url: `rtmp://127.0.0.1:${mute.port}/live` })).toEqual({
      stage: 'handshake',
      permanent: false,
      text,
    });
    const deaf = serve({ answer: () => [] });
    expect(await failureOf({ url: `rtmp://127.0.0.1:${deaf.port}/live` })).toMatchObject({ stage: 'connect', text });
    const idle = serve({ answer: (command) => (command.name === 'connect' ? welcome(command) : []) });
    expect(await failureOf({ url: `rtmp://127.0.0.1:${idle.port}/live` })).toMatchObject({ stage: 'publish', text });
  });

  test('reports a refused application', async () => {
    const server = serve({
      answer: ({ transaction }) => [
        errorMessage(transaction, 'NetConnection.Connect.InvalidApp', 'no stream-k3y here'),
      ],
    });
    expect(await failureOf({ url: `rtmp://127.0.0.1:${server.port}/live` })).toEqual({
      stage: 'connect',
      permanent: true,
      text: 'NetConnection.Connect.InvalidApp: no *** here',
    });
  });

  test('reports a refused key, without showing it', async () => {
    const server = serve({
      answer: (command) =>
        command.name === 'publish'
          ? [statusMessage(1, 'error', 'NetStream.Publish.BadName', 'stream-k3y is taken')]
          : welcome(command),
    });
    expect(await failureOf({ url: `rtmp://127.0.0.1:${server.port}/live` })).toEqual({
      stage: 'publish',
      permanent: true,
      text: 'NetStream.Publish.BadName: *** is taken',
    });
  });

  test('omits the words of the server when the key or the password is too short to be masked', async () => {
    const url = (server: { readonly port: number }) => `rtmp://127.0.0.1:${server.port}/live`;
    const server = serve({
      answer: ({ transaction }) => [errorMessage(transaction, 'NetConnection.Connect.Rejected', 'b is no subscriber')],
    });
    expect(await failureOf({ url: url(server), key: 'b' })).toMatchObject({ stage: 'connect', text: 'refused' });
    const login = { username: 'me', password: 'pw' };
    const text = 'refused (user name and password were not sent: that needs RTMPS or a challenge)';
    expect(await failureOf({ url: url(server), ...login })).toMatchObject({ stage: 'connect', text });
    const long = await failureOf({ url: url(server), username: 'me', password: 'subscriber' });
    expect(long?.text).toStartWith('NetConnection.Connect.Rejected: b is no *** (');
  });

  test('does not mask its own words, whatever the key is', async () => {
    const server = serve({ answer: () => [] });
    const key = 'time';
    expect(await failureOf({ url: `rtmp://127.0.0.1:${server.port}/live`, key })).toMatchObject({
      text: 'no answer in time',
    });
  });

  test('reports a server that disconnects, before and while media flows', async () => {
    const server = serve({
      answer(command) {
        if (command.name === 'createStream') server.sockets.at(-1)?.end();
        return welcome(command);
      },
    });
    expect(await failureOf({ url: `rtmp://127.0.0.1:${server.port}/live` })).toMatchObject({
      stage: 'publish',
      permanent: false,
    });
    const fine = serve({ answer: (command) => welcome(command) });
    const bench = start({ url: `rtmp://127.0.0.1:${fine.port}/live` });
    await bench.streaming;
    fine.sockets[0]?.end();
    expect(await bench.ended).toMatchObject({ stage: 'stream', permanent: false, message: 'closed by the server' });
  });

  test('reports a server that does not speak RTMP', async () => {
    const listener = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: { data: (socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n') },
    });
    cleanups.push(() => listener.stop(true));
    expect(await failureOf({ url: `rtmp://127.0.0.1:${listener.port}/live` })).toEqual({
      stage: 'handshake',
      permanent: false,
      text: 'not RTMP: HTTP or other text',
    });
  });

  test('reports a server that accepts no more data', async () => {
    const server = serve({ answer: (command) => welcome(command) });
    const bench = start({ url: `rtmp://127.0.0.1:${server.port}/live`, stallMs: 500 });
    await bench.streaming;
    server.sockets[0]?.pause();
    send(bench.sink, videoHeader);
    for (let at = 0; at < 14; at++) send(bench.sink, video(at, 1 << 20));
    expect(bench.push.stats().stalledMs).toBeGreaterThanOrEqual(0);
    expect(await bench.ended).toMatchObject({
      stage: 'stream',
      permanent: false,
      message: 'the server took no data for 0.5 s',
    });
  });
});

describe('user and password', () => {
  const reject = (transaction: number, description: string) => [
    errorMessage(transaction, 'NetConnection.Connect.Rejected', `[ AccessManager.Reject ] : ${description}`),
  ];
  /** Asks for the method, then for the answer to a challenge, and checks it. */
  const adobe = (password: string) =>
    serve({
      answer: (command) => (command.name === 'connect' && refuseLogin(command, 'me', password)) || welcome(command),
    });

  test('answer a challenge, over as many connections as needed', async () => {
    const server = adobe('secret');
    const bench = start({ url: `rtmp://127.0.0.1:${server.port}/live`, username: 'me', password: 'secret' });
    await bench.streaming;
    expect(server.sockets).toHaveLength(3);
    expect(bench.stages.filter((stage) => stage === 'auth')).toHaveLength(2);
  });

  test('that are wrong or missing are an authorization failure', async () => {
    const server = adobe('secret');
    const url = `rtmp://127.0.0.1:${server.port}/live`;
    const wrong = await start({ url, username: 'me', password: 'other' }).ended;
    expect(wrong).toMatchObject({ stage: 'auth', permanent: true, message: 'user name or password refused' });
    const missing = await start({ url }).ended;
    expect(missing).toMatchObject({ stage: 'auth', permanent: true });
    expect(missing?.message).toContain('asks for a user name');
  });

  test('are not sent to a server that refuses without a challenge', async () => {
    const server = serve({ answer: ({ transaction }) => reject(transaction, 'who are you?') });
    const account = { username: 'me', password: 'pa:ss' };
    const ended = await start({ url: `rtmp://127.0.0.1:${server.port}/live`, ...account }).ended;
    expect(ended).toMatchObject({ stage: 'connect', permanent: true });
    expect(ended?.message).toContain('user name and password were not sent');
    const inUrl = await start({ url: `rtmp://me:pa%3Ass@127.0.0.1:${server.port}/live` }).ended;
    expect(inUrl).toMatchObject({ stage: 'connect', permanent: true });
    expect(server.commands.map(({ object }) => object.tcUrl)).toEqual(
      Array(2).fill(`rtmp://127.0.0.1:${server.port}/live`),
    );
    expect(JSON.stringify(server.commands)).not.toMatch(/pa:ss|pa%3Ass|"me/);
  });
});

describe.skipIf(!Bun.which('openssl'))('RTMPS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rtmps-'));
  const path = (name: string) => join(folder, name);
  const command = ['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const names = ['-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  Bun.spawnSync([...command, ...names, '-keyout', path('key'), '-out', path('cert')], { stderr: 'ignore' });
  const tls = { key: readFileSync(path('key'), 'utf8'), cert: readFileSync(path('cert'), 'utf8') };
  rmSync(folder, { recursive: true });

  test('refuses an untrusted certificate', async () => {
    const server = serve({ answer: (one) => welcome(one), tls });
    const { ended, stages } = start({ url: `rtmps://127.0.0.1:${server.port}/live` });
    expect(await ended).toMatchObject({ stage: 'tls', permanent: true, message: 'self signed certificate' });
    expect(stages).toEqual(['dns', 'tcp', 'tls']);
  });

  test('is spoken with a private authority', async () => {
    const server = serve({ answer: (one) => welcome(one), tls });
    const url = `rtmps://localhost:${server.port}/live`;
    await start({ url, ca: tls.cert }).streaming;
    expect(server.sockets).toHaveLength(1);
  });

  test('puts user and password into the address for a server that refuses without naming a method', async () => {
    const server = serve({
      answer(command) {
        if (command.name !== 'connect' || String(command.object.tcUrl).includes('me:pa%3Ass@')) return welcome(command);
        return [errorMessage(command.transaction, 'NetConnection.Connect.Rejected', 'who are you?')];
      },
      tls,
    });
    await start({ url: `rtmps://me:pa%3Ass@127.0.0.1:${server.port}/live`, ca: tls.cert }).streaming;
    expect(server.commands.filter(({ name }) => name === 'connect').map(({ object }) => object.tcUrl)).toEqual([
      `rtmps://127.0.0.1:${server.port}/live`,
      `rtmps://me:pa%3Ass@127.0.0.1:${server.port}/live`,
    ]);
  });

  test('fails in its own stage when the server does not speak TLS', async () => {
    const listener = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: { data: (socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n') },
    });
    cleanups.push(() => listener.stop(true));
    expect(await start({ url: `rtmps://127.0.0.1:${listener.port}/live` }).ended).toMatchObject({ stage: 'tls' });
  });

  test('loses no bytes when the server reads in bursts', async () => {
    const server = serve({ answer: (one) => welcome(one), tls });
    const bench = start({ url: `rtmps://127.0.0.1:${server.port}/live`, ca: tls.cert });
    await bench.streaming;
    const [socket] = server.sockets;
    socket?.pause();
    send(bench.sink, videoHeader);
    for (let at = 1; at <= 14; at++) send(bench.sink, video(at, 1 << 20));
    await until(() => bench.push.stats().stalledMs > 50);
    socket?.resume();
    await until(() => server.media.length === 15);
    const frames = server.media.filter(({ payload }) => payload.length === 1 << 20);
    expect(frames.map(({ timestamp }) => timestamp)).toEqual(Array.from({ length: 14 }, (_, i) => i + 1));
    expect(frames.every(({ timestamp, payload }) => payload.subarray(5).every((byte) => byte === timestamp))).toBe(
      true,
    );
  });
});
