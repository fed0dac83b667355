import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../../tests/support/until.ts';
import { errorMessage } from './commands.ts';
import { cleanUp, cleanups, send, serve, start, video, videoHeader, welcome } from './push-rig-for-test.ts';

setDefaultTimeout(30_000);
afterEach(cleanUp);

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
