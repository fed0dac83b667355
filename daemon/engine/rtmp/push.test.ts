import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { privateRefused, withNames } from '../../../tests/support/outgoing.ts';
import { until } from '../../../tests/support/until.ts';
import { encodeAmf } from '../flv/amf0.ts';
import type { FlvMessage } from '../flv/flv-bus.ts';
import { errorMessage, statusMessage } from './commands.ts';
import type { RtmpPushOptions } from './push.ts';
import { cleanUp, cleanups, send, serve, start, video, videoHeader, welcome } from './push-rig-for-test.ts';

setDefaultTimeout(30_000);
afterEach(cleanUp);

const metadata: FlvMessage = { type: 18, timestamp: 0, payload: encodeAmf('onMetaData', { width: 320 }) };

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
