/** One connection on a fake socket and clock. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { until } from '../../../tests/support/until.ts';
import { createLog } from '../../lib/log.ts';
import { encodeMessage, encodePacket, type RtspMessage, RtspReader } from '../rtsp/message.ts';
import { RtspConnection } from './connection.ts';
import { Mount } from './mount.ts';
import { RtpStream } from './rtp-stream.ts';
import { MadeUpStream, otherAudioHeader } from './stream-for-test.ts';

const url = 'rtsp://127.0.0.1/stage';

let source: MadeUpStream;
let mount: Mount;
let clock = 0;
let inside = 0;
const players = new Set<Player>();

beforeEach(() => {
  clock = 0;
  inside = 0;
  source = new MadeUpStream();
  source.picture(0, true);
  source.sound(10);
  source.picture(40, false);
  source.flush();
  mount = new Mount({
    ...{ path: 'stage', maxClients: 3, username: '', password: '' },
    stream: new RtpStream(source.bus, () => 7),
    isComplete: () => true,
    enter() {
      inside++;
      return { remove: () => void inside-- };
    },
  });
});
afterEach(() => {
  for (const player of players) player.connection.close('end of the test');
  players.clear();
});

class Player {
  readonly replies: RtspMessage[] = [];
  readonly packets: { readonly channel: number; readonly bytes: Buffer }[] = [];
  isFrozen = false;
  ended: 'orderly' | 'reset' | undefined;
  readonly connection: RtspConnection;
  private session: string | undefined;
  private number = 0;

  constructor(keyWait: () => number = () => 0) {
    const reader = new RtspReader({
      message: (message) => this.replies.push(message),
      packet: (channel, bytes) => this.packets.push({ channel, bytes: Buffer.from(bytes) }),
    });
    const socket = {
      write: (data: Uint8Array, offset: number, length: number) => {
        if (this.isFrozen) return 0;
        reader.feed(data.subarray(offset, offset + length));
        return length;
      },
      end: () => {
        this.ended = 'orderly';
      },
      terminate: () => {
        this.ended = 'reset';
      },
    };
    this.connection = new RtspConnection(socket, {
      ...{ local: '127.0.0.1', remote: '127.0.0.1', peer: '127.0.0.1:9' },
      keyWait,
      find: (path) => (path === 'stage' ? mount : undefined),
      log: createLog('error', () => undefined),
      now: () => clock,
    });
    players.add(this);
  }

  async ask(method: string, target = url, headers: Record<string, string> = {}): Promise<RtspMessage> {
    const before = this.replies.length;
    const session: Record<string, string> = this.session ? { Session: this.session } : {};
    const number = { CSeq: String(++this.number) };
    this.connection.receive(encodeMessage(`${method} ${target} RTSP/1.0`, { ...number, ...session, ...headers }));
    await until(() => this.replies.length !== before);
    const reply = this.replies.at(-1)!;
    this.session = reply.headers.get('session')?.split(';')[0] ?? this.session;
    return reply;
  }

  async setUp(transport: string, track = 0): Promise<RtspMessage> {
    return await this.ask('SETUP', `${url}/trackID=${track}`, { Transport: transport });
  }

  /** Advances the time by `seconds`. */
  wait(seconds: number): void {
    for (let i = 0; i < seconds && !this.ended; i++) {
      clock += 1000;
      this.connection.tick();
    }
  }
}

test('packets arrive on the requested channels, of the tracks that were set up', async () => {
  const player = new Player();
  expect((await player.setUp('RTP/AVP/TCP;interleaved=4-5', 1)).headers.get('transport')).toContain('interleaved=4-5');
  await player.ask('PLAY');
  expect(player.packets.map(({ channel, bytes }) => [channel, bytes[1]! & 0x7f])).toEqual([
    [5, 200 & 0x7f],
    [4, 97],
  ]);
  source.picture(80, false);
  source.sound(90);
  source.flush();
  expect(player.packets.slice(2).map(({ channel }) => channel)).toEqual([4]);
});

test('audio before the first picture is dropped at the start', async () => {
  source.picture(2000, true);
  for (const at of [1900, 1980, 2010]) source.sound(at);
  source.flush();
  const player = new Player();
  await player.setUp('RTP/AVP/TCP', 0);
  await player.setUp('RTP/AVP/TCP', 1);
  await player.ask('PLAY');
  const sounds = () => player.packets.filter(({ channel }) => channel === 2);
  expect(sounds()).toHaveLength(1);
  source.sound(2030);
  source.flush();
  expect(sounds()).toHaveLength(2);
});

test('two tracks cannot share channels, and a session cannot mix transports', async () => {
  const player = new Player();
  await player.setUp('RTP/AVP/TCP;interleaved=0-1', 0);
  expect((await player.setUp('RTP/AVP/TCP;interleaved=1-2', 1)).startLine).toContain('461');
  expect((await player.setUp('RTP/AVP;client_port=5000-5001', 1)).startLine).toContain('461');
  expect((await player.setUp('RTP/AVP/TCP;interleaved=2-3', 1)).startLine).toContain('200');
});

test('a player that is made to wait is not considered idle', async () => {
  const player = new Player(() => 20);
  const since = clock;
  expect(player.connection.idleSince).toBe(since);
  clock += 3000;
  const reply = player.ask('DESCRIBE', url, { Authorization: 'Basic bWU6bWU=' });
  await until(() => player.connection.idleSince === undefined);
  expect((await reply).startLine).toContain('200');
  expect(player.connection.idleSince).toBe(since + 3000);
});

test('a session without requests ends after a minute, and its place is free', async () => {
  const player = new Player();
  await player.setUp('RTP/AVP/TCP');
  expect([mount.clients, inside]).toEqual([1, 1]);
  player.wait(50);
  await player.ask('GET_PARAMETER');
  player.wait(60);
  expect(player.ended).toBeUndefined();
  player.wait(1);
  expect(player.ended).toBe('orderly');
  expect([mount.clients, inside]).toEqual([0, 0]);
});

test('a player that receives packets over TCP needs no keepalive', async () => {
  const player = new Player();
  await player.setUp('RTP/AVP/TCP');
  await player.ask('PLAY');
  player.wait(200);
  expect(player.ended).toBeUndefined();
  // Reports every five seconds, beside the one at the start.
  expect(player.packets.filter(({ channel }) => channel === 1)).toHaveLength(41);
});

test('a player that reads nothing is disconnected after ten seconds', async () => {
  const player = new Player();
  await player.setUp('RTP/AVP/TCP');
  await player.ask('PLAY');
  player.isFrozen = true;
  source.picture(80, false);
  source.flush();
  player.wait(10);
  expect(player.ended).toBeUndefined();
  player.wait(1);
  expect([player.ended, mount.clients]).toEqual(['reset', 0]);
});

test('over UDP, the player’s reports keep the session alive', async () => {
  const heard: Buffer[] = [];
  const socket = await Bun.udpSocket({ hostname: '127.0.0.1', socket: { data: (_, bytes) => void heard.push(bytes) } });
  const player = new Player();
  const reply = await player.setUp(`RTP/AVP;unicast;client_port=${socket.port}`);
  const [, port] = /server_port=(\d+)-/.exec(reply.headers.get('transport') ?? '') ?? [];
  expect(Number(port) % 2).toBe(0);
  await player.ask('PLAY');
  await until(() => heard.length >= 5);
  expect(heard.map((packet) => packet[1]! & 0x7f)).toEqual([96, 96, 96, 96, 96]);
  expect(mount.bytes).toBe(heard.reduce((sum, { length }) => sum + length, 0));

  player.wait(50);
  const { session } = player.connection as unknown as { session: { heardAt: number } };
  socket.send('report', Number(port) + 1, '127.0.0.1');
  await until(() => session.heardAt >= clock);
  player.wait(60);
  expect(player.ended).toBeUndefined();
  player.wait(1);
  expect(player.ended).toBe('orderly');
  socket.close();
});

test('over TCP, a report counts as well', async () => {
  const player = new Player();
  await player.setUp('RTP/AVP/TCP');
  player.wait(50);
  player.connection.receive(encodePacket(1, Buffer.alloc(8)));
  player.wait(60);
  expect(player.ended).toBeUndefined();
});

test('a client that sends no request, or pipelines too many, is disconnected', async () => {
  const silent = new Player();
  silent.wait(15);
  expect(silent.ended).toBeUndefined();
  silent.wait(1);
  expect(silent.ended).toBe('orderly');
  const hasty = new Player();
  const request = encodeMessage(`OPTIONS ${url} RTSP/1.0`, { CSeq: '1' });
  hasty.connection.receive(Buffer.concat(Array.from({ length: 17 }, () => request)));
  expect(hasty.ended).toBe('reset');
});

test('a track whose description changed ends the sessions that use it, and no others', async () => {
  const [watching, listening] = [new Player(), new Player()];
  await watching.setUp('RTP/AVP/TCP', 0);
  await listening.setUp('RTP/AVP/TCP', 1);
  source.sound(100, otherAudioHeader);
  source.flush();
  expect([watching.ended, listening.ended]).toEqual([undefined, 'orderly']);
});

test('packets are built only while there are players', async () => {
  const player = new Player();
  await player.ask('DESCRIBE');
  expect(source.bus.ring.subscribers).toBe(1);
  player.connection.close('gone');
  expect(source.bus.ring.subscribers).toBe(0);
});
