import { afterEach, describe, expect, test } from 'bun:test';
import { toLoopback } from '../../../tests/support/outgoing.ts';
import { until } from '../../../tests/support/until.ts';
import { encodeAmf } from '../flv/amf0.ts';
import type { FlvMessage } from '../flv/flv-bus.ts';
import { encodeMessages } from './chunk-writer.ts';
import type { RtmpFailure } from './client-failure.ts';
import { type Command, errorMessage, resultMessage, statusMessage } from './commands.ts';
import { startEngineDouble } from './engine-double-for-test.ts';
import { RtmpPull, type RtmpPullOptions } from './pull.ts';
import { RtmpPush } from './push.ts';
import { type ScriptedServer, type ScriptOptions, startScriptedServer } from './scripted-server-for-test.ts';

const frame = (timestamp: number, size = 6): FlvMessage => {
  const payload = new Uint8Array(size).fill(timestamp & 0xff);
  payload.set([0x17, 1, 0, 0, 0]);
  return { type: 9, timestamp, payload };
};
const header: FlvMessage = { type: 9, timestamp: 0, payload: Uint8Array.of(0x17, 0, 0, 0, 0, 1) };
const metadata: FlvMessage = { type: 18, timestamp: 0, payload: encodeAmf('onMetaData', { width: 320 }) };

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
});

function serve(options: ScriptOptions): ScriptedServer {
  const server = startScriptedServer(options);
  cleanups.push(() => server.stop());
  return server;
}

const playing = [statusMessage(5, 'status', 'NetStream.Play.Start', '')];

/** A server that accepts every player; `play` is its answer to that command. */
function welcome({ name, transaction }: Command, play: readonly Uint8Array[] = playing): readonly Uint8Array[] {
  if (name === 'connect') return [resultMessage(transaction, {}, { code: 'NetConnection.Connect.Success' })];
  if (name === 'createStream') return [resultMessage(transaction, null, 5)];
  return name === 'play' ? play : [];
}

function start(options: Partial<RtmpPullOptions> & { readonly url: string }) {
  const messages: FlvMessage[] = [];
  const closes: string[] = [];
  const stages: string[] = [];
  let flushes = 0;
  const ended = Promise.withResolvers<RtmpFailure | undefined>();
  const pull = new RtmpPull({
    outgoing: toLoopback,
    key: 'stream-k3y',
    sink: {
      message: (message) => messages.push(message),
      flush: () => flushes++,
      close: (reason) => closes.push(reason),
    },
    onStage: (stage) => stages.push(stage),
    onEnd: ended.resolve,
    ...options,
  });
  pull.start();
  cleanups.push(() => pull.stop());
  return { pull, messages, closes, stages, flushes: () => flushes, ended: ended.promise };
}

const url = ({ port }: { port: number }) => `rtmp://127.0.0.1:${port}/live`;

describe('a pull', () => {
  test('requests the stream and passes on its media, but not what the server says to its players', async () => {
    const talk = [
      { type: 18, timestamp: 0, payload: encodeAmf('|RtmpSampleAccess', true, true) },
      { type: 18, timestamp: 0, payload: encodeAmf('onStatus', { code: 'NetStream.Data.Start' }) },
    ];
    const media = encodeMessages([...talk, metadata, header, frame(40, 200_000)], 5, 4096);
    const server = serve({ answer: (command) => welcome(command, [...playing, media]) });
    const bench = start({ url: url(server) });
    await until(() => bench.messages.length === 3);
    expect(bench.stages).toEqual(['dns', 'tcp', 'handshake', 'connect', 'play', 'stream']);
    expect(server.commands.map(({ name }) => name)).toEqual(['connect', 'createStream', 'FCSubscribe', 'play']);
    expect(server.commands.at(-1)?.args).toEqual(['stream-k3y', -2000]);
    expect(bench.messages.map(({ type, timestamp, payload }) => [type, timestamp, payload.length])).toEqual([
      [18, 0, metadata.payload.length],
      [9, 0, 6],
      [9, 40, 200_000],
    ]);
    expect(bench.flushes()).toBeGreaterThan(0);
  });

  test('treats a stream as started when media arrives without a status message', async () => {
    const server = serve({ answer: (command) => welcome(command, [encodeMessages([header], 5, 4096)]) });
    const bench = start({ url: url(server) });
    await until(() => bench.stages.includes('stream'));
    expect(bench.messages).toHaveLength(1);
  });

  test('plays what is pushed to our own server, byte for byte', async () => {
    const engine = startEngineDouble();
    cleanups.push(() => engine.server.close('end of the test'));
    const other = startEngineDouble();
    cleanups.push(() => other.server.close('end of the test'));
    const push = new RtmpPush({
      outgoing: toLoopback,
      url: `rtmp://127.0.0.1:${engine.server.port}/live`,
      key: 'push',
      bus: other.bus,
      onStage: () => {},
      onEnd: () => {},
    });
    push.start();
    cleanups.push(() => void push.stop());
    await until(() => engine.isPublishing());
    const bench = start({ url: engine.url('play'), key: '' });
    await until(() => bench.stages.includes('stream'));
    const [sink] = engine.sinks;
    for (const message of [metadata, header, frame(0), frame(40, 70_000)]) sink!.message(message);
    sink!.flush();
    await until(() => bench.messages.at(-1)?.timestamp === 40);
    expect(Buffer.from(bench.messages.at(-1)!.payload)).toEqual(Buffer.from(frame(40, 70_000).payload));
    bench.pull.stop();
    expect(await bench.ended).toBeUndefined();
    expect(bench.closes).toEqual(['stopped']);
    await until(() => engine.ends.some((end) => end.startsWith('player')));
  });

  test('can be stopped while it waits for an answer', async () => {
    const server = serve({ answer: () => [] });
    const bench = start({ url: url(server) });
    await until(() => server.commands.length === 1);
    bench.pull.stop();
    expect(await bench.ended).toBeUndefined();
  });

  test('reads audio together with the next picture', async () => {
    const server = serve({ answer: (command) => welcome(command) });
    const batches: number[][] = [];
    let batch: number[] = [];
    const bench = start({
      url: url(server),
      sink: {
        message: ({ type }) => batch.push(type),
        flush() {
          batches.push(batch);
          batch = [];
        },
        close: () => {},
      },
    });
    await until(() => bench.stages.includes('stream'));
    const send = (message: FlvMessage) => server.sockets[0]?.write(encodeMessages([message], 5, 4096));
    const audio: FlvMessage = { type: 8, timestamp: 0, payload: Uint8Array.of(0xaf, 1, 7) };
    // Audio waits for at most 45 ms, so on a busy machine several attempts may be needed.
    for (let time = 0; !batches.some((types) => types.join() === '8,9'); time += 40) {
      const seen = batches.flat().length;
      send(frame(time, 4000));
      await until(() => batches.flat().length > seen);
      send(audio);
      // Time in which audio alone would be read.
      await Bun.sleep(5);
      send(frame(time + 20, 4000));
      await until(() => batches.flat().length === seen + 3);
    }
    send(audio);
    await until(() => batches.at(-1)?.join() === '8');
  });
});

describe('a pull that fails', () => {
  const failureOf = async (options: Partial<RtmpPullOptions> & { readonly url: string }) => {
    const failure = await start({ stageTimeoutMs: 300, ...options }).ended;
    return failure && { stage: failure.stage, permanent: failure.permanent, text: failure.message };
  };
  const answering = (code: string, level: 'error' | 'status' = 'error') =>
    serve({ answer: (command) => welcome(command, [statusMessage(5, level, code, 'stream-k3y')]) });

  test('reports a missing stream, without its name, as a cause that may pass', async () => {
    const failure = await failureOf({ url: url(answering('NetStream.Play.StreamNotFound')) });
    expect(failure).toEqual({ stage: 'play', permanent: false, text: 'NetStream.Play.StreamNotFound: ***' });
    const mild = await failureOf({ url: url(answering('NetStream.Play.StreamNotFound', 'status')) });
    expect(mild).toMatchObject({ stage: 'play' });
  });

  test('distinguishes a refused player from a missing stream', async () => {
    const failure = await failureOf({ url: url(answering('NetStream.Play.Unauthorized')) });
    expect(failure).toMatchObject({ stage: 'auth', permanent: true });
  });

  test('reports a closed port', async () => {
    const server = serve({ answer: () => [] });
    server.stop();
    const failure = await start({ url: url(server) }).ended;
    expect(failure).toMatchObject({ stage: 'tcp', detail: 'refused' });
  });

  test('reports a refused password', async () => {
    const server = serve({
      answer: ({ transaction }) => [
        errorMessage(transaction, 'NetConnection.Connect.Rejected', '[ code=403 need auth; authmod=adobe ] : '),
      ],
    });
    expect(await failureOf({ url: url(server) })).toMatchObject({ stage: 'auth', permanent: true });
  });

  test('gives up on a `play` that is never answered', async () => {
    const server = serve({ answer: (command) => welcome(command, []) });
    expect(await failureOf({ url: url(server) })).toEqual({
      stage: 'play',
      permanent: false,
      text: 'no answer in time',
    });
  });

  test('ends when the publisher there leaves, and when the server disconnects', async () => {
    const left = serve({ answer: (command) => welcome(command) });
    const bench = start({ url: url(left) });
    await until(() => bench.stages.includes('stream'));
    left.sockets[0]?.write(statusMessage(5, 'status', 'NetStream.Play.UnpublishNotify', ''));
    expect(await bench.ended).toMatchObject({ stage: 'stream', message: 'the stream ended at its server' });
    const hung = serve({ answer: (command) => welcome(command) });
    const other = start({ url: url(hung) });
    await until(() => other.stages.includes('stream'));
    hung.sockets[0]?.end();
    expect(await other.ended).toMatchObject({ stage: 'stream', message: 'closed by the server' });
    expect(other.closes).toEqual(['closed by the server']);
  });

  test('ends when no data arrives for too long', async () => {
    const server = serve({ answer: (command) => welcome(command) });
    const failure = await start({ url: url(server), idleMs: 200 }).ended;
    expect(failure).toMatchObject({ stage: 'stream', detail: 'stalled', message: 'nothing came for 0.2 s' });
  });

  test('ends when the server breaks the protocol', async () => {
    const server = serve({ answer: (command) => welcome(command) });
    const bench = start({ url: url(server) });
    await until(() => bench.stages.includes('stream'));
    // An aggregate whose first part is longer than the whole.
    const aggregate = { type: 22, timestamp: 0, payload: Uint8Array.of(9, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1) };
    server.sockets[0]?.write(encodeMessages([aggregate], 5, 4096));
    expect(await bench.ended).toMatchObject({ stage: 'stream', message: 'aggregate message ends inside a part' });
  });
});
