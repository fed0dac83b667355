/** RTSP inputs that the engine pulls from GStreamer's server. */
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { connectionStates } from '../../daemon/contract/streams.ts';
import type { RtspStream } from '../../daemon/sources/stream-address.ts';
import { leasePort } from '../support/ports.ts';
import { until } from '../support/until.ts';
import { picture, type Running, run } from './live-media.ts';
import { openPullRig } from './pull-rig.ts';

setDefaultTimeout(90_000);

const rig = openPullRig('pull-rtsp');
afterEach(rig.clear);

interface RtspServerOptions {
  readonly port: number;
  readonly transports?: 'tcp' | 'udp' | 'both';
  readonly password?: string;
  readonly scheme?: 'basic' | 'digest';
  readonly encoding?: 'h264' | 'mulaw';
  /** The server drops one of this many audio packets; 0 drops none. */
  readonly lose?: number;
}

/** Starts GStreamer's server with Debian's Python, because no other Python has the bindings. */
async function serve(options: RtspServerOptions): Promise<Running> {
  const { port: at, transports = 'both', password = '-', scheme = 'digest', encoding = 'h264', lose = 0 } = options;
  const script = join(import.meta.dir, 'rtsp-server.py');
  const server = run(['/usr/bin/python3', script, String(at), transports, password, scheme, encoding, String(lose)]);
  const listens = () => Bun.connect({ hostname: '127.0.0.1', port: at, socket: { data: () => {} } });
  await until(
    () =>
      listens().then(
        (socket) => {
          socket.end();
          return true;
        },
        () => false,
      ),
    10_000,
    'the RTSP server listens',
  );
  return server;
}
const rtsp = (at: number, rest: Partial<RtspStream> = {}): RtspStream => ({
  protocol: 'rtsp',
  url: `rtsp://127.0.0.1:${at}/cam`,
  tcpFirst: true,
  username: '',
  password: '',
  bufferMs: 200,
  ...rest,
});

test.each([
  ['TCP with Digest', { transports: 'tcp', scheme: 'digest', password: 's3cret-word' }, true],
  ['UDP with Basic', { transports: 'udp', scheme: 'basic', password: 's3cret-word' }, false],
  ['UDP if the server has no TCP', { transports: 'udp' }, true],
  ['TCP if the server has no UDP', { transports: 'tcp' }, false],
] as const)('is pulled over %s', async (name, options, tcpFirst) => {
  const at = leasePort();
  await serve({ port: at, ...options });
  const credentials = 'password' in options ? { username: 'me', password: options.password } : {};
  const pulled = rig.addChannel(rtsp(at, { tcpFirst, ...credentials }));
  await rig.untilLive(pulled.id);
  expect(rig.inputOf(pulled.id)).toMatchObject({
    protocol: 'rtsp',
    peer: `127.0.0.1:${at}`,
    media: { container: 'ts', video: { codec: 'h264', width: picture.width } },
  });
  const processes = rig.processes().flatMap(({ words }) => words);
  expect(processes.join(' ')).not.toContain('s3cret');
  await rig.expectPlays(pulled.play, `rtsp-${name.replaceAll(' ', '-')}`);
  expect(rig.inputOf(pulled.id)?.ccErrors).toBe(0);
  expect(rig.inputOf(pulled.id)?.datagrams).toMatchObject({ lost: 0, late: 0 });
  expect(rig.inputOf(pulled.id)?.datagrams?.received).toBeGreaterThan(100);
  expect(rig.logLines.join('\n')).not.toContain('s3cret');
});

test('keeps playing and reports lost packets, over UDP and over TCP', async () => {
  const at = leasePort();
  await serve({ port: at, lose: 5 });
  const pulls = [true, false].map((tcpFirst) => rig.addChannel(rtsp(at, { tcpFirst })));
  const watch = async ({ id, play }: (typeof pulls)[number]) => {
    await rig.untilLive(id);
    await rig.expectPlays(play, `rtsp-lossy-${id}`);
    await until(() => (rig.inputOf(id)?.datagrams?.lost ?? 0) >= 20, 20_000, `lost packets of ${id} are counted`);
    // One of five audio packets is lost; all video packets arrive.
    const { lost = 0, received = 0 } = rig.inputOf(id)?.datagrams ?? {};
    expect(lost / (lost + received)).toBeLessThan(0.2);
    expect(rig.inputOf(id)?.quality?.lossPercent).toBeGreaterThan(0);
    expect(rig.inputOf(id)).toMatchObject({
      conn: connectionStates.connected,
      quality: { jitterMs: expect.any(Number) },
      reconnects: 0,
    });
  };
  await Promise.all(pulls.map(watch));
});

test('reconnects when its server returns', async () => {
  const at = leasePort();
  const server = await serve({ port: at });
  const pulled = rig.addChannel(rtsp(at));
  await rig.untilLive(pulled.id);
  await server.stop();
  await rig.untilConn(pulled.id, connectionStates.tcpFailed);
  expect(rig.inputOf(pulled.id)?.reason).toBe('refused');
  await serve({ port: at });
  await rig.untilLive(pulled.id, 40_000);
  await rig.expectPlays(pulled.play, 'rtsp-again');
});

test('reconnects after its server hangs', async () => {
  const at = leasePort();
  const server = await serve({ port: at });
  const pulled = rig.addChannel(rtsp(at));
  await rig.untilLive(pulled.id);
  server.child.kill('SIGSTOP');
  await until(() => rig.inputOf(pulled.id)?.reason === 'stalled', 20_000, 'the silence is noticed');
  server.child.kill('SIGCONT');
  await rig.untilLive(pulled.id, 40_000);
});

test('reports why it cannot be pulled', async () => {
  const [guarded, sound] = [leasePort(), leasePort()];
  await serve({ port: guarded, password: 's3cret-word' });
  await serve({ port: sound, encoding: 'mulaw' });
  const wrong = rig.addChannel(rtsp(guarded, { username: 'me', password: 'wrong' }));
  const missing = rig.addChannel(rtsp(sound, { url: `rtsp://127.0.0.1:${sound}/else` }));
  const speech = rig.addChannel(rtsp(sound));
  const nowhere = rig.addChannel(rtsp(1, { url: 'rtsp://name.invalid/cam' }));
  await rig.untilConn(wrong.id, connectionStates.authorizationFailed);
  await rig.untilConn(missing.id, connectionStates.streamFailed);
  await rig.untilConn(speech.id, connectionStates.streamFailed);
  expect(rig.inputOf(speech.id)?.reason).toBe('codecNotPossible');
  await rig.untilConn(nowhere.id, connectionStates.dnsFailed);
});
