import { afterEach, expect, test } from 'bun:test';
import { transportTo, unaborted } from '../../../tests/sim/devices/rig.ts';
import { DeviceFacts } from '../../contract/device-facts.ts';
import type { SourceTest } from '../../contract/inputs.ts';
import { connectionStates } from '../../contract/streams.ts';
import { HubError } from '../../lib/hub-error.ts';
import type { RtspStream } from '../../sources/stream-address.ts';
import type { StreamDevice, Transport } from '../driver.ts';
import { createStreamDriver } from './driver.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const source: RtspStream = {
  ...{ protocol: 'rtsp', url: 'rtsp://cam.example/live?token=t0p', username: 'viewer', password: 'secret' },
  ...{ tcpFirst: false, bufferMs: 200 },
};
const noTransport: Transport = { request: () => Promise.reject(new Error('not asked')) };
const none = { user: '', password: '' };
const there: SourceTest = {
  found: true,
  media: {
    container: 'ts',
    video: { codec: 'h264', width: 1920, height: 1080, fps: 50, interlaced: true },
    audio: { codec: 'aac', 'sample-rate': 48_000, channels: 2 },
  },
};
const gone = (reason: string): SourceTest => ({ found: false, 'conn-state': connectionStates.failed, reason });

function setUp(answers: (SourceTest | Error)[], more: Partial<StreamDevice> = {}, streamMs = 60_000) {
  const world = { looks: 0 };
  const stream: StreamDevice = {
    ...{ sn: 'S0123456789ABCDEF', name: 'Yard', source },
    async look() {
      const answer = answers[Math.min(world.looks, answers.length - 1)];
      world.looks += 1;
      if (answer === undefined || answer instanceof Error) throw answer ?? new Error('no answer');
      return answer;
    },
    ...more,
  };
  const open = (transport: Transport) => createStreamDriver({ answerMs: 2000, streamMs }).open(transport, none, stream);
  return { world, open, session: open(noTransport) };
}

test('a stream that is there has codec, size and sound as facts, and no secret', async () => {
  const { session } = setUp([there]);
  const facts = await session.poll(unaborted);
  expect(DeviceFacts.safeParse(facts).error).toBeUndefined();
  expect(facts).toMatchObject({
    identity: { sn: 'S0123456789ABCDEF', name: 'Yard', api: 'stream', model: 'RTSP', 'product-id': 0 },
    signal: { state: 'present', width: 1920, height: 1080 },
    main: { codec: 'h264', fps: 50, interlaced: true },
    audio: { codec: 'aac', channels: 2, 'sample-rate': 48_000 },
    streams: [{ protocol: 'RTSP', address: 'rtsp://cam.example/live', state: 'running' }],
  });
  expect(JSON.stringify(facts)).not.toMatch(/secret|t0p/);
});

test('polls in quick succession open the stream once, and later ones open it again', async () => {
  const often = setUp([there]);
  await often.session.identify(unaborted);
  await often.session.poll(unaborted);
  await often.session.poll(unaborted);
  expect(often.world.looks).toBe(1);
  const again = setUp([there, gone('unreachable')], {}, 0);
  await again.session.poll(unaborted);
  await expect(again.session.poll(unaborted)).rejects.toMatchObject({ word: 'unreachable' });
});

test.each([
  ['dnsFailed', 'unreachable'],
  ['addressNotAllowed', 'unreachable'],
  ['notAuthorized', 'wrongPassword'],
  ['wrongPassphrase', 'wrongPassword'],
  ['streamRefused', 'refused'],
  ['noData', 'timeout'],
  ['partMissing', 'unsupported'],
  ['noSync', 'invalidAnswer'],
])('a stream that cannot be opened (%s) has the problem %s', async (reason, word) => {
  await expect(setUp([gone(reason)]).session.poll(unaborted)).rejects.toMatchObject({ word });
});

test('while too many streams are opened, what was seen last counts; without it, the hub is busy', async () => {
  const tooMany = new HubError('tryAgain', 'too many requests are waiting');
  await expect(setUp([tooMany]).session.poll(unaborted)).rejects.toMatchObject({ word: 'busy' });
  const seen = setUp([there, tooMany], {}, 50);
  const first = await seen.session.poll(unaborted);
  await new Promise((done) => setTimeout(done, 60));
  expect(await seen.session.poll(unaborted)).toEqual(first);
  expect(seen.world.looks).toBe(2);
});

test('the picture is read with the login of the stream, but never with the password in the clear', async () => {
  const seen: (string | null)[] = [];
  let challenge = 'Digest realm="cam", nonce="n1", qop="auth"';
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const login = request.headers.get('authorization');
      seen.push(login);
      if (login === null) return new Response('', { status: 401, headers: { 'www-authenticate': challenge } });
      return new Response(Uint8Array.of(0xff, 0xd8, 1));
    },
  });
  closing.push(() => server.stop(true));
  const { open } = setUp([there], { snapshot: '/picture.jpg' });
  const { snapshot } = open(transportTo({ protocol: 'http', host: '127.0.0.1', port: server.port ?? 0 }));
  expect(await snapshot?.(unaborted)).toEqual(Uint8Array.of(0xff, 0xd8, 1));
  expect(seen[1]).toMatch(/^Digest username="viewer".*uri="\/picture\.jpg"/);
  challenge = 'Basic realm="cam"';
  await expect(snapshot?.(unaborted)).rejects.toMatchObject({ word: 'unsupported' });
  expect(seen).toHaveLength(3);
});

test('a device without the address of a picture has none, but a stream of which one can be made', async () => {
  const { session } = setUp([there]);
  expect(session.snapshot).toBeUndefined();
  expect(await session.stream?.('picture', unaborted)).toEqual(source);
});
