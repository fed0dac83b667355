/**
 * Every state and reason that a connection may show, each by what really causes it, as the API says it; and that it is
 * good again once the cause is gone. What needs a network of its own is in cut-off-network.test.ts.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createSocket } from 'node:dgram';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConnectionStateName, connectionStates, protocolBits } from '../../daemon/contract/streams.ts';
import type { LegReason } from '../../daemon/media/status.ts';
import { freePorts } from '../bench/ports.ts';
import { askingServer, chattingServer, passOn, sendNoise, stopFarEnds, tlsGateTo, webServer } from './far-ends.ts';
import { closeGates, openGate } from './gate.ts';
import { type HubProcess, startHub } from './hub-process.ts';
import { killAll, publish, run, until } from './live-media.ts';
import { freeUdpPort, proven, RelayRig, type RigChannel } from './relay-rig.ts';
import { type Certificates, makeCertificates } from './test-certificates.ts';

setDefaultTimeout(90_000);

const folder = mkdtempSync(join(tmpdir(), 'sb-states-'));
let hub: HubProcess;
let rig: RelayRig;
let certificates: Certificates;
/** H.264 and AAC, for whom an output or a pull needs a stream. */
let studio: RigChannel;

beforeAll(async () => {
  certificates = await makeCertificates(folder);
  hub = await startHub({ env: { NODE_EXTRA_CA_CERTS: certificates.authority } });
  await hub.login();
  rig = new RelayRig(hub);
  studio = await rig.addChannel();
  publish(studio.push.rtmp);
  await studio.input.untilGood();
});
afterAll(async () => {
  await hub.stop();
  stopFarEnds();
  await killAll();
  closeGates();
  rmSync(folder, { recursive: true, force: true });
});

/** A gate before one of the hub's own ports. */
const gateTo = async (port: number, mode: 'pass' | 'silent' | 'closing' = 'pass') =>
  openGate({ port: await freePorts(1), to: port, mode });
const rtmpOf = (port: number, key: string, app = 'live') => ({ url: `rtmp://127.0.0.1:${port}/${app}`, key });
const newKey = async () => {
  const channel = await rig.addChannel();
  return { channel, key: channel.pushKey };
};
const pushTo = (port: number, key: string, app?: string) => studio.addOutput(rtmpOf(port, key, app));
const pullFrom = (port: number, key = studio.playKey, app?: string) => rig.addInput(rtmpOf(port, key, app));
const pullTs = (port: number, rest: object = {}) =>
  rig.addInput({ url: `http://127.0.0.1:${port}/live/${studio.playKey}.ts`, ...rest });

describe.concurrent('switched off, and without a source', () => {
  test('a channel that is off: waiting, switched off; on: waiting for a publisher', async () => {
    const channel = await rig.addChannel(false);
    await channel.input.until({ conn: 'waiting', reason: 'switchedOff', state: 'offline' });
    const output = await channel.addOutput(rtmpOf(hub.ports.rtmp, 'nobody'));
    await output.until({ conn: 'waiting', reason: 'switchedOff', state: 'offline' });
    await hub.api('/api/channel/enable', { id: channel.id, enable: true });
    await channel.input.until({ conn: 'waiting', reason: 'noInput', state: 'offline' });
    await output.until({ conn: 'waiting', reason: 'noInput', state: 'offline' });
    await hub.api('/api/channel/output/enable', { id: channel.id, output: output.id, enable: false });
    await output.until({ conn: 'waiting', reason: 'switchedOff' });
  });

  test('a publisher that stands still: waiting for data, then gone as stalled; back: good', async () => {
    const channel = await rig.addChannel();
    const first = publish(channel.push.rtmp);
    await channel.input.until({ conn: 'connected', reason: undefined, state: 'running' });
    first.child.kill('SIGSTOP');
    await channel.input.until({ conn: 'waitingForData', reason: 'noData', state: 'running' });
    await channel.input.until({ conn: 'waiting', reason: 'stalled', state: 'offline' });
    first.child.kill('SIGKILL');
    const second = publish(channel.push.srt);
    await channel.input.untilGood();
    await second.stop();
    await channel.input.until({ conn: 'waiting', reason: 'closedByPeer', state: 'offline' });
    const noise = sendNoise(`srt://127.0.0.1:${hub.ports.srt}?mode=caller&streamid=${channel.pushKey}`);
    await channel.input.until({ conn: 'waiting', reason: 'noSync', state: 'offline' });
    noise.stop();
    publish(channel.push.srt);
    await channel.input.untilGood();
  });
});

describe.concurrent('RTMP push', () => {
  test('a closed port, and a server that comes and goes', async () => {
    const { key } = await newKey();
    const gate = await gateTo(hub.ports.rtmp);
    gate.close();
    const output = await pushTo(gate.port, key);
    await output.until({ conn: 'tcpFailed', reason: 'refused', state: 'failed' });
    await gate.open();
    await output.untilGood();
    gate.mode = 'closing';
    gate.cut('end');
    await output.until({ conn: 'disconnected', reason: 'closedByPeer', state: 'failed' });
    await output.until({ conn: 'handshakeFailed', reason: 'handshakeFailed', state: 'failed' });
    gate.mode = 'pass';
    await output.untilGood();
    gate.cut('reset');
    await output.until({ conn: 'disconnected', reason: 'closedByPeer', state: 'failed' });
    await output.untilGood();
  });

  test('a server that takes the connection and says nothing', async () => {
    const { key } = await newKey();
    const gate = await gateTo(hub.ports.rtmp, 'silent');
    const output = await pushTo(gate.port, key);
    await output.until({ conn: 'connecting', reason: undefined, state: 'initializing' });
    await output.until({ conn: 'handshakeFailed', reason: 'timeout', state: 'failed' });
    gate.mode = 'pass';
    await output.untilGood();
  });

  test('an application that is not there, and a stream key that is not known', async () => {
    const { channel, key } = await newKey();
    const output = await pushTo(hub.ports.rtmp, 'nobody-has-it', 'else');
    await output.until({ conn: 'refused', reason: 'refused', state: 'failed' });
    await output.change(rtmpOf(hub.ports.rtmp, 'nobody-has-it'));
    await output.until({ conn: 'streamFailed', reason: 'streamRefused', state: 'failed' });
    await output.change(rtmpOf(hub.ports.rtmp, key));
    await output.untilGood();
    await channel.input.untilGood();
  });

  test('a user name and password that are wrong', async () => {
    const server = askingServer('right');
    const account = (password: string) => ({
      ...rtmpOf(server.port, 'any'),
      ...{ 'enable-auth': true, username: 'me', password },
    });
    const output = await studio.addOutput(account('wrong'));
    await output.until({ conn: 'authorizationFailed', reason: 'notAuthorized', state: 'failed' });
    await output.change(account('right'));
    await output.untilGood();
    expect(hub.logs()).not.toContain('right@');
  });

  test('a certificate that nobody vouches for', async () => {
    const { key } = await newKey();
    const gate = await tlsGateTo(hub.ports.rtmp, certificates);
    await gate.use('stranger');
    const output = await studio.addOutput({ url: `rtmps://127.0.0.1:${gate.port}/live`, key });
    await output.until({ conn: 'handshakeFailed', reason: 'tlsFailed', state: 'failed' });
    await gate.use('server');
    await output.untilGood();
  });

  test('a codec that has no place in RTMP', async () => {
    const channel = await rig.addChannel();
    const { key } = await newKey();
    const encode = (...sound: string[]) => [
      ...['-re', '-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=25', '-f', 'lavfi', '-i', 'sine=sample_rate=48000'],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'zerolatency', '-g', '25', '-pix_fmt', 'yuv420p'],
      ...['-c:a', ...sound],
    ];
    const first = publish(channel.push.srt, encode('ac3'));
    const output = await channel.addOutput(rtmpOf(hub.ports.rtmp, key));
    await output.until({ conn: 'streamFailed', reason: 'codecNotPossible', state: 'unsupported' });
    expect((await rig.view(channel.id)).state).toBe('live');
    await first.stop();
    publish(channel.push.srt, encode('aac'));
    await output.untilGood(40_000);
  });
});

describe.concurrent('RTMP pull', () => {
  test('a server that says nothing, sends no more, or closes', async () => {
    const gate = await gateTo(hub.ports.rtmp, 'silent');
    const input = await pullFrom(gate.port);
    await input.until({ conn: 'handshakeFailed', reason: 'timeout', state: 'failed' });
    gate.mode = 'pass';
    await input.untilGood();
    gate.freeze();
    await input.until({ conn: 'waitingForData', reason: 'noData', state: 'running' });
    await input.until({ conn: 'disconnected', reason: 'stalled', state: 'failed' });
    gate.thaw();
    await input.untilGood();
    gate.cut('reset');
    await input.until({ conn: 'disconnected', reason: 'closedByPeer', state: 'failed' });
    await input.untilGood();
    gate.close();
    await input.until({ conn: 'tcpFailed', reason: 'refused', state: 'failed' });
    await gate.open();
    await input.untilGood();
  });

  test('an application and a stream that are not there, and a stream that nobody sends yet', async () => {
    const empty = await rig.addChannel();
    const input = await pullFrom(hub.ports.rtmp, 'nobody-has-it', 'else');
    await input.until({ conn: 'refused', reason: 'refused', state: 'failed' });
    await input.change(rtmpOf(hub.ports.rtmp, 'nobody-has-it'));
    await input.until({ conn: 'streamFailed', reason: 'streamRefused', state: 'failed' });
    await input.change(rtmpOf(hub.ports.rtmp, empty.playKey));
    await input.until({ conn: 'waitingForData', reason: 'noData', state: 'running' });
    publish(empty.push.rtmp);
    await input.untilGood();
  });

  test('a server that asks for a password, and one with a wrong certificate', async () => {
    const server = askingServer('right');
    const account = { 'enable-auth': true, username: 'me', password: 'wrong' };
    const input = await rig.addInput({ ...rtmpOf(server.port, 'any'), ...account });
    await input.until({ conn: 'authorizationFailed', reason: 'notAuthorized', state: 'failed' });
    const gate = await tlsGateTo(hub.ports.rtmp, certificates);
    await gate.use('stranger');
    await input.change({ url: `rtmps://127.0.0.1:${gate.port}/live`, key: studio.playKey, 'enable-auth': false });
    await input.until({ conn: 'handshakeFailed', reason: 'tlsFailed', state: 'failed' });
    await gate.use('server');
    await input.untilGood();
  });
});

describe.concurrent('SRT caller', () => {
  const listen = (port: number) =>
    run(['srt-live-transmit', '-q', `srt://127.0.0.1:${port}?mode=listener`, 'file://con']);

  test('a port where nobody listens, a peer that leaves, one that stands still', async () => {
    const port = await freeUdpPort();
    const output = await studio.addOutput({ type: 1, url: `srt://127.0.0.1:${port}?mode=caller&latency=120` });
    await output.until({ conn: 'tcpFailed', reason: 'unreachable', state: 'failed' });
    const first = listen(port);
    await output.untilGood();
    await first.stop();
    await output.until({ conn: 'disconnected', reason: 'closedByPeer', state: 'failed' });
    const second = listen(port);
    await output.untilGood();
    second.child.kill('SIGSTOP');
    await output.until({ conn: 'disconnected', reason: 'timeout', state: 'failed' });
    second.child.kill('SIGKILL');
    await second.exited;
    listen(port);
    await output.untilGood(40_000);
  });

  test('a wrong passphrase and a stream id that nobody knows', async () => {
    const port = await freeUdpPort();
    const door = { mode: 'listener', host: '127.0.0.1', port, latency: 120, 'pb-key-len': 16 } as const;
    const input = await rig.addInput({ srt: { ...door, passphrase: 'correct horse' } });
    await input.until({ conn: 'waitingForData', reason: 'noData', state: 'running' });
    const call = { ...door, mode: 'caller' };
    const output = await studio.addOutput({ srt: { ...call, passphrase: 'something else' } });
    await output.until({ conn: 'authorizationFailed', reason: 'wrongPassphrase', state: 'failed' });
    await output.change({ srt: { ...call, passphrase: 'correct horse' } });
    await output.untilGood();
    await input.untilGood();
    const { channel, key } = await newKey();
    const common = { mode: 'caller', host: '127.0.0.1', port: hub.ports.srt, latency: 120, 'pb-key-len': 0 } as const;
    await output.change({ srt: { ...common, 'stream-id': 'nobody-has-it' } });
    await output.until({ conn: 'authorizationFailed', reason: 'notAuthorized', state: 'failed' });
    await output.change({ srt: { ...common, 'stream-id': key } });
    await output.untilGood();
    await channel.input.untilGood();
  });

  test('a stream that somebody else sends already, and a listener without room', async () => {
    const { channel, key } = await newKey();
    const first = publish(channel.push.srt);
    await channel.input.untilGood();
    const common = { mode: 'caller', host: '127.0.0.1', port: hub.ports.srt, latency: 120 } as const;
    const output = await studio.addOutput({ srt: { ...common, 'stream-id': key } });
    await output.until({ conn: 'refused', reason: 'streamRefused', state: 'failed' });
    await first.stop();
    await output.untilGood();
    const port = await freeUdpPort();
    await studio.addOutput({ srt: { mode: 'listener', host: '127.0.0.1', port, latency: 120, 'max-connections': 1 } });
    const isSrt = (client: { protocol: number }) => client.protocol === protocolBits.srt;
    const guest = run(['srt-live-transmit', '-q', `srt://127.0.0.1:${port}`, 'file://con']);
    await until(async () => (await rig.view(studio.id)).clients.list.some(isSrt), 10_000, 'the place is taken');
    const input = await rig.addInput({ srt: { mode: 'caller', host: '127.0.0.1', port, latency: 120 } });
    await input.until({ conn: 'refused', reason: 'refused', state: 'failed' });
    await guest.stop();
    await input.untilGood();
  });

  test('a peer that sends no transport stream', async () => {
    const port = await freeUdpPort();
    const noise = sendNoise(`srt://127.0.0.1:${port}?mode=listener`);
    const input = await rig.addInput({ srt: { mode: 'caller', host: '127.0.0.1', port, latency: 120 } });
    await input.until({ conn: 'streamFailed', reason: 'noSync', state: 'failed' });
    noise.stop();
    publish(`srt://127.0.0.1:${port}?mode=listener&pkt_size=1316`);
    await input.untilGood(40_000);
  });
});

describe.concurrent('ports of our own', () => {
  test('a stream without the programme that is chosen, and another choice', async () => {
    const port = await freeUdpPort();
    const udp = { host: '127.0.0.1', port };
    const input = await rig.addInput({ udp, program: 99 });
    await studio.addOutput({ udp });
    await input.until({ conn: 'waitingForData', reason: 'noProgramme', state: 'running' });
    await input.change({ udp, program: 1 });
    await input.untilGood();
  });

  test('SRT and UDP: taken by somebody else, then free', async () => {
    const taken = createSocket('udp4');
    await new Promise<void>((resolve) => taken.bind(0, '127.0.0.1', resolve));
    const { port } = taken.address();
    const listener = { mode: 'listener', host: '127.0.0.1', port, latency: 120 } as const;
    const udp = await rig.addInput({ udp: { host: '127.0.0.1', port } });
    await udp.until({ conn: 'creationFailed', reason: 'addressInUse', state: 'failed' });
    const srt = await rig.addInput({ srt: listener });
    await srt.until({ conn: 'creationFailed', reason: 'addressInUse', state: 'failed' });
    await hub.api('/api/channel/enable', { id: udp.channel, enable: false });
    await new Promise<void>((resolve) => taken.close(() => resolve()));
    await srt.until({ conn: 'waitingForData', reason: 'noData', state: 'running' });
    publish(`srt://127.0.0.1:${port}?mode=caller&pkt_size=1316`);
    await srt.untilGood();
  });

  test('an address that this machine does not have', async () => {
    const [port, srtPort] = [await freeUdpPort(), await freeUdpPort()];
    const stranger = '203.0.113.7';
    const input = await rig.addInput({ rtp: { host: stranger, port } });
    await input.until({ conn: 'creationFailed', reason: 'internal', state: 'failed' });
    const group = { host: '239.255.1.1', port };
    const output = await studio.addOutput({ rtp: { ...group, interface: stranger } });
    await output.until({ conn: 'creationFailed', reason: 'internal', state: 'failed' });
    const door = { mode: 'listener', port: srtPort, latency: 120 } as const;
    const listener = await studio.addOutput({ srt: { ...door, host: stranger } });
    await listener.until({ conn: 'creationFailed', reason: 'internal', state: 'failed' });
    await listener.change({ srt: { ...door, host: '127.0.0.1' } });
    await listener.until({ conn: 'connected', reason: undefined, state: 'running' });
    await input.change({ rtp: { host: '127.0.0.1', port } });
    await output.change({ rtp: { ...group, interface: '127.0.0.1' } });
    await output.untilGood();
    await output.change({ rtp: { host: '127.0.0.1', port } });
    await input.untilGood();
  });

  test('UDP: nobody sends, then something else than a transport stream, then one', async () => {
    const port = await freeUdpPort();
    const input = await rig.addInput({ udp: { host: '127.0.0.1', port } });
    await input.until({ conn: 'waitingForData', reason: 'noData', state: 'running' });
    const socket = createSocket('udp4');
    const noise = crypto.getRandomValues(new Uint8Array(1316));
    const timer = setInterval(() => socket.send(noise, port, '127.0.0.1'), 5);
    await input.until({ conn: 'streamFailed', reason: 'noSync', state: 'failed' });
    clearInterval(timer);
    socket.close();
    await studio.addOutput({ udp: { host: '127.0.0.1', port } });
    await input.untilGood();
  });
});

describe.concurrent('HTTP and HLS pull', () => {
  test('a server that is closed, says nothing, pauses, or closes', async () => {
    const gate = await gateTo(hub.ports.hls);
    gate.close();
    const input = await pullTs(gate.port);
    await input.until({ conn: 'tcpFailed', reason: 'refused', state: 'failed' });
    gate.mode = 'silent';
    await gate.open();
    await input.until({ conn: 'handshakeFailed', reason: 'timeout', state: 'failed' });
    gate.mode = 'pass';
    await input.untilGood();
    gate.freeze();
    await input.until({ conn: 'disconnected', reason: 'stalled', state: 'failed' });
    gate.thaw();
    await input.untilGood();
    gate.mode = 'closing';
    gate.cut('end');
    await input.until({ conn: 'disconnected', reason: 'closedByPeer', state: 'failed' });
    await input.until({ conn: 'handshakeFailed', reason: 'handshakeFailed', state: 'failed' });
    gate.mode = 'pass';
    await input.untilGood();
  });

  test('a server that refuses: by its state, for want of rights, for want of the stream', async () => {
    let status = 503;
    const server = webServer((request) =>
      status === 200 ? passOn(request, studio.play.ts) : new Response(null, { status }),
    );
    const input = await pullTs(server.port);
    await input.until({ conn: 'refused', reason: 'refused', state: 'failed' });
    status = 404;
    await input.until({ conn: 'streamFailed', reason: 'streamRefused', state: 'failed' });
    status = 403;
    await input.until({ conn: 'authorizationFailed', reason: 'notAuthorized', state: 'failed' });
    status = 200;
    await input.untilGood(40_000);
  });

  test('a server that sends no transport stream, or a playlist that nobody can play', async () => {
    let answer: (request: Request) => Response | Promise<Response> = () =>
      new Response(crypto.getRandomValues(new Uint8Array(65_536)).toBase64().repeat(8));
    const server = webServer((request) => answer(request));
    const input = await pullTs(server.port);
    await input.until({ conn: 'streamFailed', reason: 'noSync', state: 'failed' });
    const master = [
      '#EXTM3U',
      '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",URI="sound.m3u8"',
      '#EXT-X-STREAM-INF:BANDWIDTH=1000000,AUDIO="a"',
      'picture.m3u8',
    ];
    answer = () => new Response(`${master.join('\n')}\n`);
    await input.until({ conn: 'streamFailed', reason: 'badInput', state: 'failed' });
    answer = (request) => passOn(request, studio.play.ts);
    await input.untilGood(40_000);
  });

  test('a server that speaks something else, and one with a wrong certificate', async () => {
    const chatter = chattingServer();
    const input = await pullTs(chatter.port);
    await input.until({ conn: 'handshakeFailed', reason: 'handshakeFailed', state: 'failed' });
    const gate = await tlsGateTo(hub.ports.hls, certificates);
    await gate.use('stranger');
    await input.change({ url: `https://127.0.0.1:${gate.port}/live/${studio.playKey}.ts` });
    await input.until({ conn: 'handshakeFailed', reason: 'tlsFailed', state: 'failed' });
    await gate.use('server');
    await input.untilGood();
  });
});

describe.concurrent('RTSP pull', () => {
  const serve = (port: number, password: string, encoding: 'h264' | 'mulaw') => {
    const script = join(import.meta.dir, 'rtsp-server.py');
    return run(['/usr/bin/python3', script, String(port), 'tcp', password, 'digest', encoding]);
  };
  const account = (password: string) => ({ 'enable-auth': true, username: 'me', password });

  test('a server that is closed, says nothing, asks for a password, stands still, closes', async () => {
    const port = await freePorts(1);
    serve(port, 'right', 'h264');
    const gate = await gateTo(port);
    gate.close();
    const url = `rtsp://127.0.0.1:${gate.port}/cam?mw-tcp-first=1`;
    const input = await rig.addInput({ url, ...account('wrong') });
    await input.until({ conn: 'tcpFailed', reason: 'refused', state: 'failed' });
    gate.mode = 'silent';
    await gate.open();
    await input.until({ conn: 'handshakeFailed', reason: 'timeout', state: 'failed' });
    gate.mode = 'pass';
    await input.until({ conn: 'authorizationFailed', reason: 'notAuthorized', state: 'failed' });
    await input.change({ url, ...account('right') });
    await input.untilGood();
    gate.freeze();
    await input.until({ conn: 'disconnected', reason: 'stalled', state: 'failed' });
    gate.thaw();
    await input.untilGood(40_000);
    gate.cut('end');
    await input.until({ conn: 'disconnected', reason: 'closedByPeer', state: 'failed' });
    await input.untilGood();
  });

  test('a stream that is not there, and one in a codec that has no place in a transport stream', async () => {
    const port = await freePorts(1);
    serve(port, '-', 'mulaw');
    const input = await rig.addInput({ url: `rtsp://127.0.0.1:${port}/else` });
    await input.until({ conn: 'streamFailed', reason: 'streamRefused', state: 'failed' });
    await input.change({ url: `rtsp://127.0.0.1:${port}/cam` });
    await input.until({ conn: 'streamFailed', reason: 'codecNotPossible', state: 'unsupported' });
  });
});

describe('together', () => {
  /** By what is not loopback: no network, no names, no endpoint. */
  const elsewhere: readonly (ConnectionStateName | LegReason)[] = ['dnsFailed', 'failed', 'partMissing'];
  const reasons = {
    ...{ switchedOff: 0, noInput: 0, dnsFailed: 0, unreachable: 0, refused: 0, timeout: 0, tlsFailed: 0 },
    ...{ handshakeFailed: 0, notAuthorized: 0, wrongPassphrase: 0, streamRefused: 0, closedByPeer: 0, stalled: 0 },
    ...{ noData: 0, noSync: 0, noProgramme: 0, badInput: 0, codecNotPossible: 0, addressInUse: 0, partMissing: 0 },
    internal: 0,
  } satisfies Record<LegReason, 0>;

  test('there is no state and no reason without a proof', () => {
    const missing = (names: string[], seen: ReadonlySet<string>) =>
      names.filter((name) => !seen.has(name) && !elsewhere.some((other) => other === name));
    expect(missing(Object.keys(connectionStates), proven.states)).toEqual([]);
    expect(missing(Object.keys(reasons), proven.reasons)).toEqual([]);
  });
});
