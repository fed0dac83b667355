/**
 * RTSP outputs: FFmpeg and GStreamer as players, and our own client for what they do not support. (Debian builds VLC
 * without RTSP.)
 */
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { createServer } from 'node:net';
import { connectionStates, sourceStates } from '../../daemon/contract/streams.ts';
import { encodeMessage, type RtspMessage, RtspReader } from '../../daemon/engine/rtsp/message.ts';
import type { Recipe } from '../support/clips.ts';
import { leasePort } from '../support/ports.ts';
import { until, untilSeen, usualMs } from '../support/until.ts';
import {
  fileIn,
  hevcSource,
  inspect,
  killAll,
  picture,
  publish,
  type Running,
  run,
  source,
  untilRecorded,
} from './live-media.ts';
import { openRigHub } from './rig-hub.ts';
import { timeDivisor } from './scaled-timing.ts';
import { expectWhole } from './whole-recording.ts';

setDefaultTimeout(90_000);

const stage = openRigHub({ name: 'rtsp-out', timeDivisor });
afterEach(killAll);

interface Connection {
  readonly id: number;
  readonly 'conn-state': number;
  readonly state: number;
  readonly reason?: string;
  readonly addr: string;
  readonly kbps: number;
}
interface ChannelView {
  readonly state: string;
  readonly outputs: { readonly list: readonly Connection[] };
  readonly clients: { readonly total: number; readonly list: readonly (Connection & { readonly protocol: number })[] };
}
const view = (id: number) => stage.hub.api<ChannelView>(`/api/channel/query?id=${id}`);
const outputOf = async (id: number, output: number) => (await view(id)).outputs.list.find((one) => one.id === output);
const untilClients = (id: number, count: number) =>
  untilSeen(
    () => view(id),
    ({ clients }) => clients.total === count,
    usualMs,
    `channel ${id} has ${count} clients`,
  );
const isListening = async (id: number, output: number) => {
  const shown = await outputOf(id, output);
  return shown?.state === sourceStates.running && shown['conn-state'] === connectionStates.connected;
};

/** A live channel with a listening output. */
async function live(config: object, recipe?: Recipe, by: 'rtmp' | 'srt' = 'rtmp') {
  const channel = await stage.rig.addChannel();
  const port = leasePort();
  const { id: output } = await channel.addOutput({ port, key: 'stage', ...config });
  const sender = publish(channel.push[by], recipe);
  await channel.untilLive(20_000);
  await until(() => isListening(channel.id, output), 20_000, 'the output listens');
  return { ...channel, port, output, sender, url: `rtsp://127.0.0.1:${port}/stage` };
}

function record(url: string, transport: 'tcp' | 'udp', file: string, seconds?: number): Running {
  return run([
    ...['ffmpeg', '-nostdin', '-hide_banner', '-loglevel', 'warning', '-rtsp_transport', transport, '-i', url],
    ...[...(seconds ? ['-t', String(seconds)] : []), '-map', '0', '-c', 'copy', '-f', 'matroska'],
    ...['-flush_packets', '1', '-y', file],
  ]);
}

/** Omits FFmpeg's message about the first frame in Matroska, which every RTSP stream causes, GStreamer's too. */
function complaints(player: Running): string[] {
  const lines = player.stderr().split('\n');
  return lines.filter((line) => line !== '' && !line.includes('Timestamps are unset in a packet'));
}

/** A player that sends the given requests, and returns the responses. */
class Player {
  readonly packets: { readonly channel: number; readonly at: number; readonly bytes: Buffer }[] = [];
  session: string | undefined;
  private readonly answers: RtspMessage[] = [];
  private socket: Bun.Socket<undefined> | undefined;
  private number = 0;
  isClosed = false;

  static async connect(port: number): Promise<Player> {
    const player = new Player();
    const reader = new RtspReader({
      message: (message) => player.answers.push(message),
      packet: (channel, bytes) => player.packets.push({ channel, at: performance.now(), bytes: Buffer.from(bytes) }),
    });
    player.socket = await Bun.connect({
      hostname: '127.0.0.1',
      port,
      socket: {
        data: (_, bytes) => reader.feed(bytes),
        close: () => {
          player.isClosed = true;
        },
      },
    });
    return player;
  }

  send(bytes: string | Uint8Array): void {
    this.socket?.write(bytes);
  }

  async ask(method: string, url: string, headers: Record<string, string> = {}, body = ''): Promise<RtspMessage> {
    const number = String(++this.number);
    const session: Record<string, string> = this.session ? { Session: this.session } : {};
    this.send(encodeMessage(`${method} ${url} RTSP/1.0`, { CSeq: number, ...session, ...headers }, body));
    const find = () => this.answers.find(({ headers: answered }) => answered.get('cseq') === number);
    await until(() => find() !== undefined || this.isClosed, 10_000, `${method} is answered`);
    return find() as RtspMessage;
  }

  async status(...request: Parameters<Player['ask']>): Promise<number> {
    return Number((await this.ask(...request)).startLine.split(' ')[1]);
  }

  async setUp(url: string, track = 0): Promise<number> {
    const answer = await this.ask('SETUP', `${url}/trackID=${track}`, {
      Transport: `RTP/AVP/TCP;unicast;interleaved=${2 * track}-${2 * track + 1}`,
    });
    this.session = answer.headers.get('session')?.split(';')[0] ?? this.session;
    return Number(answer.startLine.split(' ')[1]);
  }

  close(): void {
    this.socket?.end();
  }
}

test('FFmpeg receives video and audio over TCP and UDP, and ffprobe identifies them', async () => {
  const { id, url, output } = await live({});
  const players = (['tcp', 'udp'] as const).map((transport) => {
    const file = fileIn(stage.folder, `ffmpeg-${transport}.mkv`);
    return { file, player: record(url, transport, file, 5) };
  });
  await untilClients(id, 2);
  const { clients } = await view(id);
  expect(clients.list.map(({ protocol, addr }) => [protocol, addr.replace(/\d+$/, '')])).toEqual([
    [16, '127.0.0.1:'],
    [16, '127.0.0.1:'],
  ]);
  for (const { file, player } of players) {
    expect({ code: await player.exited, output: complaints(player) }).toEqual({ code: 0, output: [] });
    expectWhole(await inspect(file), 5);
  }
  const probe = run(['ffprobe', '-v', 'error', '-rtsp_transport', 'tcp', '-show_streams', url]);
  expect({ code: await probe.exited, output: probe.stderr() }).toEqual({ code: 0, output: '' });
  await untilClients(id, 0);
  expect(await isListening(id, output)).toBe(true);
});

test('HEVC from a transport stream is sent', async () => {
  const { url } = await live({}, hevcSource, 'srt');
  const file = fileIn(stage.folder, 'hevc.mkv');
  expect(await record(url, 'tcp', file, 5).exited).toBe(0);
  const { videoCodec, audioCodec, width, goesBack, longestGap } = await inspect(file);
  expect({ videoCodec, audioCodec, width, goesBack }).toEqual({
    ...{ videoCodec: 'hevc', audioCodec: 'aac', width: picture.width, goesBack: false },
  });
  expect(longestGap.video).toBeLessThan(0.1);
});

test.each(['tcp', 'udp'])('GStreamer plays video and audio over %s, with authentication', async (protocol) => {
  const { url } = await live({ 'enable-auth': true, username: 'me', password: 'pass word' });
  const file = fileIn(stage.folder, `gstreamer-${protocol}.mkv`);
  // Timestamps as sent: by default GStreamer shifts them while it receives the start of the GOP at once.
  const player = run([
    ...['gst-launch-1.0', '-q', '-e', 'rtspsrc', `location=${url}`, `protocols=${protocol}`, 'buffer-mode=none'],
    ...['user-id=me', 'user-pw=pass word', 'name=in', 'in.', '!', 'rtph264depay', '!', 'h264parse', '!', 'queue', '!'],
    ...['mux.', 'in.', '!', 'rtpmp4gdepay', '!', 'aacparse', '!', 'queue', '!', 'mux.'],
    ...['matroskamux', 'name=mux', '!', 'filesink', `location=${file}`],
  ]);
  await untilRecorded(file, 1_000_000, 30_000);
  await player.stop();
  expectWhole(await inspect(file), 4);
});

test('only clients with name and password are accepted, by digest or Basic', async () => {
  const { url, port } = await live({ 'enable-auth': true, username: 'me', password: 'right' });
  const as = (login: string) => url.replace('//', `//${login}@`);
  const probe = (at: string) => run(['ffprobe', '-v', 'error', '-rtsp_transport', 'tcp', at]);
  expect(await probe(as('me:right')).exited).toBe(0);
  for (const wrong of [as('me:wrong'), as('you:right'), url]) {
    const refused = probe(wrong);
    expect(await refused.exited).not.toBe(0);
    expect(refused.stderr()).toContain('401');
  }
  const player = await Player.connect(port);
  const basic = (login: string) => ({ Authorization: `Basic ${Buffer.from(login).toString('base64')}` });
  expect(await player.status('DESCRIBE', url)).toBe(401);
  expect(await player.status('SETUP', `${url}/trackID=0`, { Transport: 'RTP/AVP/TCP;interleaved=0-1' })).toBe(401);
  expect(await player.status('DESCRIBE', url, basic('me:wrong'))).toBe(401);
  expect(await player.status('DESCRIBE', url, basic('me:right'))).toBe(200);
  player.close();
  expect(stage.hub.logs()).not.toContain('right');
});

test('a client beyond the limit is refused', async () => {
  const { id, url, port } = await live({ 'max-client-num': 2 });
  const players = await Promise.all([1, 2, 3].map(() => Player.connect(port)));
  const statuses: number[] = [];
  for (const player of players) statuses.push(await player.setUp(url));
  expect(statuses).toEqual([200, 200, 453]);
  await untilClients(id, 2);
  expect(await players[0]?.status('TEARDOWN', url)).toBe(200);
  expect(await players[2]?.setUp(url)).toBe(200);
  players[1]?.close();
  await untilClients(id, 1);
});

test.each(['rtmp', 'srt'] as const)(
  'a player of a stream from %s gets a keyframe first, and pauses and resumes',
  async (by) => {
    const { url, port } = await live({}, undefined, by);
    const player = await Player.connect(port);
    const description = await player.ask('DESCRIBE', url, { Accept: 'application/sdp' });
    expect(description.headers.get('content-base')).toBe(`${url}/`);
    expect(await player.setUp(url, 0)).toBe(200);
    expect(await player.setUp(url, 1)).toBe(200);
    const played = await player.ask('PLAY', url, { Range: 'npt=0.000-' });
    const video = () => player.packets.filter(({ channel }) => channel === 0);
    await until(() => video().length > 0, 20_000, 'packets arrive');
    const first = video()[0];
    // Reports of both tracks precede the first packet, which has the parameter sets in one payload.
    expect(player.packets.slice(0, 2).map(({ channel, bytes }) => [channel, bytes[1]])).toEqual([
      [1, 200],
      [3, 200],
    ]);
    expect((first?.bytes[12] ?? 0) & 0x1f).toBe(24);
    const info = played.headers.get('rtp-info') ?? '';
    expect(info).toContain(`url=${url}/trackID=0;seq=${first?.bytes.readUInt16BE(2)};rtptime=`);
    expect(info).toContain(`url=${url}/trackID=1;seq=`);

    expect(await player.status('PAUSE', url)).toBe(200);
    const count = player.packets.length;
    expect(await player.status('GET_PARAMETER', url)).toBe(200);
    expect(await player.status('SET_PARAMETER', url, { 'Content-Type': 'text/parameters' }, 'x: 1\r\n')).toBe(451);
    expect(player.packets.length).toBe(count);
    expect(await player.status('PLAY', url)).toBe(200);
    await until(() => player.packets.length > count + 50, 20_000, 'packets arrive again');
    player.close();
  },
);

test('unsupported requests are answered with the appropriate status', async () => {
  const { url, port } = await live({});
  const player = await Player.connect(port);
  const { headers } = await player.ask('OPTIONS', '*');
  expect(headers.get('public')).toContain('GET_PARAMETER');
  expect(await player.status('DESCRIBE', `rtsp://127.0.0.1:${port}/elsewhere`)).toBe(404);
  expect(await player.status('DESCRIBE', url, { Accept: 'text/html' })).toBe(406);
  expect(await player.status('DESCRIBE', url, { Require: 'implicit-play' })).toBe(551);
  expect(await player.status('JUMP', url)).toBe(501);
  expect(await player.status('RECORD', url)).toBe(405);
  expect(await player.status('PLAY', url)).toBe(455);
  expect(await player.status('PLAY', url, { Session: 'of-somebody' })).toBe(454);
  const setUp = (transport: string, track = 0) =>
    player.status('SETUP', `${url}/trackID=${track}`, { Transport: transport });
  expect(await setUp('RTP/AVP;multicast')).toBe(461);
  expect(await setUp('RTP/AVP/TCP;interleaved=0-1', 7)).toBe(404);
  expect(await player.status('SETUP', url, { Transport: 'RTP/AVP/TCP;interleaved=0-1' })).toBe(459);
  player.send('NONSENSE\r\n\r\n');
  await until(() => player.isClosed, 20_000, 'a client that does not speak RTSP is disconnected');
});

test('a frozen player affects no other player, and is disconnected', async () => {
  // The kernel's buffers are full after 7 s at this bitrate, and after 25 s at the usual one.
  const { id, url } = await live({}, { ...source, pictures: { size: '640x360', kbps: 6000 } });
  const [steady, frozen] = ['steady', 'frozen'].map((name) => fileIn(stage.folder, `${name}.mkv`)) as [string, string];
  const player = record(url, 'tcp', steady);
  const other = record(url, 'tcp', frozen);
  await untilRecorded(frozen, 1_000_000, 20_000);
  await untilClients(id, 2);
  other.child.kill('SIGSTOP');
  const frozenMs = await until(async () => (await view(id)).clients.total === 1, 40_000, 'the frozen player has left');
  await player.stop();
  expectWhole(await inspect(steady), frozenMs / 1000);
});

test('outputs share a port by their paths, and a conflict is reported', async () => {
  const channel = await stage.rig.addChannel();
  const occupier = createServer();
  const port = leasePort();
  await new Promise<void>((resolve) => occupier.listen(port, '127.0.0.1', resolve));
  const { id: output } = await channel.addOutput({ port, key: 'stage' });
  await until(
    async () => (await outputOf(channel.id, output))?.reason === 'addressInUse',
    5000,
    'the output says that the port is in use',
  );
  expect(await outputOf(channel.id, output)).toMatchObject({
    ...{ state: sourceStates.failed, 'conn-state': connectionStates.creationFailed },
  });
  await new Promise<void>((resolve) => occupier.close(() => resolve()));
  await until(() => isListening(channel.id, output), 20_000, 'it listens as soon as the port is free');
  const { id: second } = await channel.addOutput({ type: 1, url: `rtsp://0.0.0.0:${port}/backstage` });
  await until(() => isListening(channel.id, second), 20_000, 'the output on the other path listens, too');

  const add = (config: object) => stage.hub.answer<{ fields?: object[] }>('/api/output/add', { name: 'Other', config });
  expect(await add({ port, key: 'stage' })).toMatchObject({
    result: 7,
    fields: [{ path: 'config.key', rule: 'exists' }],
  });
  expect(await add({ port: stage.hub.ports.rtmp, key: 'stage' })).toMatchObject({ result: 1007 });
  await stage.hub.api('/api/channel/output/enable', { id: channel.id, output, enable: false });
  const player = await Player.connect(port);
  expect(await player.status('DESCRIBE', `rtsp://127.0.0.1:${port}/stage`)).toBe(404);
  player.close();
});

test('unsupported audio is dropped, and a stream with only unsupported audio is refused', async () => {
  const channel = await stage.rig.addChannel();
  const { id: output } = await channel.addOutput({ port: leasePort(), key: 'stage' });
  const first = publish(channel.push.srt, { ...hevcSource, sound: { codec: 'ac3' } });
  const isAlone = async () => (await outputOf(channel.id, output))?.reason === 'soundLeftOut';
  await until(isAlone, 20_000, 'the output says that the sound is left out');
  await first.stop();
  publish(channel.push.srt, { sound: { codec: 'ac3' } });
  await until(
    async () => (await outputOf(channel.id, output))?.state === sourceStates.unsupported,
    20_000,
    'the output says that the codec is not possible',
  );
  expect(await outputOf(channel.id, output)).toMatchObject({ reason: 'codecNotPossible' });
});
