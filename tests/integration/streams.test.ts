/** Real streams through the real hub: every path of the first protocols, and what happens when a part dies. */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createSocket } from 'node:dgram';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { packetSize } from '../../daemon/media/mpegts/packet.ts';
import { createTsScanner } from '../../daemon/media/mpegts/scanner.ts';
import { type HubProcess, startHub } from './hub-process.ts';
import { fileIn, hevcSource, inspect, killAll, picture, publish, record, until, untilRecorded } from './live-media.ts';
import { expectWhole } from './whole-recording.ts';

setDefaultTimeout(90_000);

let hub: HubProcess;
const folder = mkdtempSync(`${tmpdir()}/sb-streams-`);

beforeAll(async () => {
  hub = await startHub({});
  await hub.login();
});
afterEach(killAll);
afterAll(async () => {
  await hub.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface TestChannel {
  readonly id: number;
  readonly pushRtmp: string;
  readonly playRtmp: string;
  readonly pushSrt: string;
  readonly playSrt: string;
}

let channels = 0;
async function addChannel(): Promise<TestChannel> {
  const [push, play] = [`push-${++channels}`, `play-${channels}`];
  const { id } = await hub.api<{ id: number }>('/api/channel/add', {
    name: `Channel ${channels}`,
    config: { 'push-key': push, 'play-key': play, enable: true },
  });
  const { rtmp, srt } = hub.ports;
  return {
    id,
    pushRtmp: `rtmp://127.0.0.1:${rtmp}/live/${push}`,
    playRtmp: `rtmp://127.0.0.1:${rtmp}/live/${play}`,
    pushSrt: `srt://127.0.0.1:${srt}?mode=caller&streamid=${push}&latency=120000&pkt_size=1316`,
    playSrt: `srt://127.0.0.1:${srt}?mode=caller&streamid=${play}&latency=120000`,
  };
}

interface ChannelView {
  state: string;
  input: { 'conn-state': number; kbps: number; addr: string; media?: { video?: { codec: string; width: number } } };
  outputs: { list: { id: number; reason?: string; 'conn-state': number; kbps: number; 'total-bytes': number }[] };
  clients: { list: { id: number; addr: string; kbps: number; skipped: number }[] };
}
const view = (id: number) => hub.api<ChannelView>(`/api/channel/query?id=${id}`);
const untilLive = (id: number, withinMs = 10_000) =>
  until(async () => (await view(id)).state === 'live', withinMs, `channel ${id} is live`);

let names = 0;
async function addOutput(channel: number, config: Record<string, unknown>): Promise<number> {
  const { id } = await hub.api<{ id: number }>('/api/output/add', { name: `Output ${++names}`, config, channel });
  await hub.api('/api/channel/output/enable', { id: channel, output: id, enable: true });
  return id;
}

/** A UDP receiver that checks the continuity of every packet. */
async function listenUdp(): Promise<{
  port: number;
  errors(): number;
  packets(): number;
  longestPause(): number;
  close(): void;
}> {
  const socket = createSocket({ type: 'udp4' });
  const scanner = createTsScanner();
  let packets = 0;
  let last = 0;
  let longest = 0;
  socket.on('message', (data) => {
    for (let at = 0; at < data.length; at += packetSize) {
      scanner.scan(data, at);
      packets++;
    }
    const now = performance.now();
    if (last > 0) longest = Math.max(longest, now - last);
    last = now;
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  socket.setRecvBufferSize(212_992);
  return {
    port: socket.address().port,
    errors: () => scanner.continuityErrors,
    packets: () => packets,
    longestPause: () => longest,
    close: () => socket.close(),
  };
}

describe('RTMP in', () => {
  test('comes out by RTMP, SRT and UDP with picture, sound and no gap in 30 s', async () => {
    const channel = await addChannel();
    const udp = await freeUdpPort();
    await addOutput(channel.id, { type: 1, url: `udp://127.0.0.1:${udp}` });
    publish(channel.pushRtmp);
    const shown = await untilLive(channel.id);
    expect(shown).toBeLessThan(6000);
    const files = ['rtmp', 'srt', 'udp'].map((kind) => fileIn(folder, `from-rtmp-${kind}.mkv`));
    const urls = [channel.playRtmp, channel.playSrt, `udp://127.0.0.1:${udp}`];
    const players = urls.map((url, i) => record(url, files[i]!, 30));
    expect(await Promise.all(players.map((player) => player.exited))).toEqual([0, 0, 0]);
    for (const file of files) expectWhole(await inspect(file), 30);
    const { media } = (await view(channel.id)).input;
    expect(media).toMatchObject({ video: { codec: 'h264', width: picture.width } });
  });

  test('is refused with a wrong key, and a second publisher while the first lives', async () => {
    const channel = await addChannel();
    const wrong = publish(`rtmp://127.0.0.1:${hub.ports.rtmp}/live/wrong-key`);
    expect(await wrong.exited).not.toBe(0);
    publish(channel.pushRtmp);
    await untilLive(channel.id);
    const second = publish(channel.pushRtmp);
    expect(await second.exited).not.toBe(0);
    const third = publish(channel.pushSrt);
    expect(await third.exited).not.toBe(0);
    expect((await view(channel.id)).state).toBe('live');
  });

  test('shows on the console within two seconds of the first packet', async () => {
    const channel = await addChannel();
    const encoder = publish(channel.pushRtmp);
    await until(async () => (await view(channel.id)).input.addr !== '', 10_000, 'the publisher is known');
    expect(await untilLive(channel.id, 2000)).toBeLessThan(2000);
    await encoder.stop();
    await until(async () => (await view(channel.id)).state === 'waiting', 3000, 'the channel waits again');
  });
});

describe('SRT in', () => {
  test('comes out by RTMP, SRT and UDP', async () => {
    const channel = await addChannel();
    const udp = await freeUdpPort();
    await addOutput(channel.id, { type: 1, url: `udp://127.0.0.1:${udp}` });
    publish(channel.pushSrt);
    await untilLive(channel.id);
    const files = ['rtmp', 'srt', 'udp'].map((kind) => fileIn(folder, `from-srt-${kind}.mkv`));
    const urls = [channel.playRtmp, channel.playSrt, `udp://127.0.0.1:${udp}`];
    const players = urls.map((url, i) => record(url, files[i]!, 8));
    expect(await Promise.all(players.map((player) => player.exited))).toEqual([0, 0, 0]);
    for (const file of files) expectWhole(await inspect(file), 8);
  });

  test('with HEVC goes by RTMP to another server and comes back as HEVC', async () => {
    const [from, over] = [await addChannel(), await addChannel()];
    const key = `push-${channels}`;
    await addOutput(from.id, { url: `rtmp://127.0.0.1:${hub.ports.rtmp}/live`, key });
    publish(from.pushSrt, hevcSource);
    await untilLive(over.id, 15_000);
    const file = fileIn(folder, 'hevc-over-rtmp.mkv');
    expect(await record(over.playSrt, file, 6).exited).toBe(0);
    const { videoCodec, audioCodec, width, longestGap, duration, goesBack } = await inspect(file);
    expect({ videoCodec, audioCodec, width, goesBack }).toEqual({
      ...{ videoCodec: 'hevc', audioCodec: 'aac', width: picture.width, goesBack: false },
    });
    expect(longestGap.video).toBeLessThan(0.1);
    expect(duration).toBeGreaterThan(4);
  });
});

describe('outputs', () => {
  test('one that is added, refused, frozen or removed leaves no mark on another', async () => {
    const channel = await addChannel();
    const receiver = await listenUdp();
    await addOutput(channel.id, { type: 1, url: `udp://127.0.0.1:${receiver.port}` });
    publish(channel.pushSrt);
    await untilLive(channel.id);
    await until(() => receiver.packets() > 1000, 10_000, 'the receiver gets packets');
    const file = fileIn(folder, 'undisturbed.mkv');
    const player = record(channel.playRtmp, file);
    await untilRecorded(file, 300_000, 15_000);
    const nobody = await freeUdpPort();
    const added: number[] = [];
    for (let round = 0; round < 4; round++) {
      added.push(await addOutput(channel.id, { url: `rtmp://127.0.0.1:${nobody}/live`, key: 'nobody' }));
      added.push(await addOutput(channel.id, { type: 1, url: `srt://127.0.0.1:${nobody}?mode=caller&latency=120` }));
      added.push(await addOutput(channel.id, { type: 1, url: `udp://127.0.0.1:${nobody}` }));
      const before = receiver.packets();
      await until(() => receiver.packets() > before + 500, 10_000, 'packets go on');
    }
    for (const id of added) await hub.api('/api/output/del', { id, force: true });
    const frozen = [1, 2, 3, 4].map((n) => record(channel.playRtmp, fileIn(folder, `frozen-${n}.mkv`)));
    await until(async () => (await view(channel.id)).clients.list.length >= 5, 15_000, 'four more players');
    for (const { child } of frozen) child.kill('SIGSTOP');
    const memory = await hub.engineMemory();
    const before = receiver.packets();
    await until(() => receiver.packets() > before + 8000, 30_000, 'packets go on beside frozen players');
    expect(await hub.engineMemory()).toBeLessThan(memory + 40 * 1024 * 1024);
    await player.stop();
    expectWhole(await inspect(file), 5);
    expect(receiver.errors()).toBe(0);
    receiver.close();
  });
});

describe('outputs', () => {
  test('reach another server by RTMP push, by SRT call and by multicast', async () => {
    const [from, overRtmp, overSrt] = [await addChannel(), await addChannel(), await addChannel()];
    const [rtmpKey, srtKey] = [`push-${channels - 1}`, `push-${channels}`];
    const group = `239.255.7.${1 + (process.pid % 250)}`;
    const port = await freeUdpPort();
    await addOutput(from.id, { url: `rtmp://127.0.0.1:${hub.ports.rtmp}/live`, key: rtmpKey });
    const srt = `srt://127.0.0.1:${hub.ports.srt}?mode=caller&latency=120&streamid=${srtKey}`;
    await addOutput(from.id, { type: 1, url: srt });
    await addOutput(from.id, { type: 1, url: `udp://${group}:${port}?ttl=1&localaddr=127.0.0.1` });
    publish(from.pushRtmp);
    await Promise.all([from, overRtmp, overSrt].map(({ id }) => untilLive(id, 15_000)));
    const urls = [overRtmp.playRtmp, overSrt.playSrt, `udp://${group}:${port}?localaddr=127.0.0.1`];
    const files = ['push', 'call', 'multicast'].map((kind) => fileIn(folder, `output-${kind}.mkv`));
    const players = urls.map((url, i) => record(url, files[i]!, 6));
    expect(await Promise.all(players.map((player) => player.exited))).toEqual([0, 0, 0]);
    for (const file of files) expectWhole(await inspect(file), 6);
  });

  test('RTP carries a stream from one channel to another, and FFmpeg plays it from a group', async () => {
    const [from, to] = [await addChannel(), await addChannel()];
    const group = `239.255.8.${1 + (process.pid % 250)}`;
    const [port, between] = [await freeUdpPort(), await freeUdpPort()];
    const { id: input } = await hub.api<{ id: number }>('/api/input/source/add', {
      name: `RTP ${between}`,
      config: { type: 1, url: `rtp://127.0.0.1:${between}` },
    });
    await hub.api('/api/channel/input/set', { id: to.id, input });
    await addOutput(from.id, { type: 1, url: `rtp://127.0.0.1:${between}` });
    await addOutput(to.id, { type: 1, rtp: { host: group, port, ttl: 1, interface: '127.0.0.1' } });
    publish(from.pushSrt);
    await untilLive(to.id, 15_000);
    const file = fileIn(folder, 'rtp.mkv');
    expect(await record(`rtp://${group}:${port}?localaddr=127.0.0.1`, file, 6).exited).toBe(0);
    expectWhole(await inspect(file), 6);
    expect((await view(to.id)).input.media?.video?.codec).toBe('h264');
  });

  test('say why they fail: no such name, nobody there, a key that is refused', async () => {
    const channel = await addChannel();
    const nobody = await freeUdpPort();
    const rtmp = (host: string, key: string) => ({ url: `rtmp://${host}/live`, key });
    const outputs = [
      await addOutput(channel.id, rtmp('no-such-host.invalid', 'k')),
      await addOutput(channel.id, rtmp(`127.0.0.1:${nobody}`, 'k')),
      await addOutput(channel.id, rtmp(`127.0.0.1:${hub.ports.rtmp}`, 'no-such-key')),
      await addOutput(channel.id, { type: 1, url: 'srt://no-such-host.invalid:9000?mode=caller&latency=120' }),
      await addOutput(channel.id, { type: 1, url: `srt://127.0.0.1:${nobody}?mode=caller&latency=120` }),
      await addOutput(channel.id, {
        type: 1,
        url: `srt://127.0.0.1:${hub.ports.srt}?mode=caller&streamid=no-such-key`,
      }),
    ];
    publish(channel.pushRtmp);
    const reasons = async () => {
      const { list } = (await view(channel.id)).outputs;
      return outputs.map((id) => list.find((output) => output.id === id)).map((output) => output?.reason);
    };
    const wanted = ['dnsFailed', 'refused', 'streamRefused', 'dnsFailed', 'unreachable', /streamRefused|notAuthorized/];
    const matches = (list: (string | undefined)[]) =>
      list.every((reason, i) => new RegExp(wanted[i]!).test(reason ?? ''));
    await until(async () => matches(await reasons()), 20_000, 'each output names its cause').catch(async (error) => {
      throw new Error(`${error}: ${JSON.stringify(await reasons())}`);
    });
  });
});

describe('what dies', () => {
  test('the hub: not one packet is lost at RTMP, SRT and UDP receivers', async () => {
    const channel = await addChannel();
    const receiver = await listenUdp();
    await addOutput(channel.id, { type: 1, url: `udp://127.0.0.1:${receiver.port}` });
    publish(channel.pushRtmp);
    await untilLive(channel.id);
    const files = ['rtmp', 'srt'].map((kind) => fileIn(folder, `hub-killed-${kind}.mkv`));
    const players = [record(channel.playRtmp, files[0]!), record(channel.playSrt, files[1]!)];
    for (const file of files) await untilRecorded(file, 300_000, 20_000);
    await until(() => receiver.packets() > 1000, 20_000, 'the receiver gets packets');
    const engine = await hub.enginePid();
    await hub.kill('SIGKILL');
    const whileDown = receiver.packets();
    await until(() => receiver.packets() > whileDown + 1500, 10_000, 'packets go on without the hub');
    await hub.restart();
    await hub.login();
    await untilLive(channel.id);
    expect(await hub.enginePid()).toBe(engine);
    const after = receiver.packets();
    await until(() => receiver.packets() > after + 1500, 10_000, 'packets go on with the new hub');
    for (const player of players) await player.stop();
    for (const file of files) expectWhole(await inspect(file), 5);
    expect(receiver.errors()).toBe(0);
    receiver.close();
  });

  test('the engine: the hub stays up and streams flow again within 3 s of the publisher coming back', async () => {
    const channel = await addChannel();
    const first = publish(channel.pushRtmp);
    await untilLive(channel.id);
    const engine = await hub.enginePid();
    process.kill(engine, 'SIGKILL');
    expect(await hub.api<{ ready: boolean }>('/api/health')).toMatchObject({ ready: true });
    await first.exited;
    await until(async () => (await hub.enginePid()) !== engine, 3000, 'another engine runs');
    publish(channel.pushRtmp);
    expect(await untilLive(channel.id, 5000)).toBeLessThan(3000);
  });

  test('the SRT endpoint: RTMP and UDP go on, SRT comes back', async () => {
    const channel = await addChannel();
    const receiver = await listenUdp();
    await addOutput(channel.id, { type: 1, url: `udp://127.0.0.1:${receiver.port}` });
    publish(channel.pushRtmp);
    await untilLive(channel.id);
    const file = fileIn(folder, 'endpoint-killed.mkv');
    const player = record(channel.playRtmp, file);
    const srtPlayer = record(channel.playSrt, fileIn(folder, 'endpoint-killed-srt.mkv'));
    await untilRecorded(file, 300_000, 20_000);
    await until(() => receiver.packets() > 1000, 20_000, 'the receiver gets packets');
    process.kill(await hub.endpointPid('srt'), 'SIGKILL');
    await srtPlayer.exited;
    const again = fileIn(folder, 'endpoint-back.mkv');
    await until(
      async () => {
        const retry = record(channel.playSrt, again, 3);
        return (await retry.exited) === 0;
      },
      20_000,
      'SRT plays again',
    );
    await player.stop();
    expectWhole(await inspect(file), 3);
    expect(receiver.errors()).toBe(0);
    receiver.close();
  });

  test('the UDP endpoint: RTMP and SRT go on, UDP comes back on both sides', async () => {
    const [pushed, fetched] = [await addChannel(), await addChannel()];
    const [fromPush, fromUdp] = [await listenUdp(), await listenUdp()];
    const port = await freeUdpPort();
    const { id } = await hub.api<{ id: number }>('/api/input/source/add', {
      name: `endpoint killed ${port}`,
      config: { type: 1, url: `udp://127.0.0.1:${port}` },
    });
    await hub.api('/api/channel/input/set', { id: fetched.id, input: id });
    await addOutput(pushed.id, { type: 1, url: `udp://127.0.0.1:${fromPush.port}` });
    await addOutput(pushed.id, { type: 1, url: `udp://127.0.0.1:${port}` });
    await addOutput(fetched.id, { type: 1, url: `udp://127.0.0.1:${fromUdp.port}` });
    publish(pushed.pushSrt);
    await untilLive(pushed.id);
    await untilLive(fetched.id, 10_000);
    const files = [
      fileIn(folder, 'udp-endpoint-killed-rtmp.mkv'),
      fileIn(folder, 'udp-endpoint-killed-srt.mkv'),
    ] as const;
    const players = [record(pushed.playRtmp, files[0]), record(pushed.playSrt, files[1])];
    for (const file of files) await untilRecorded(file, 300_000, 20_000);
    await until(() => fromUdp.packets() > 500 && fromPush.packets() > 500, 20_000, 'both receivers get packets');
    process.kill(await hub.endpointPid('udp'), 'SIGKILL');
    const before = [fromUdp.packets(), fromPush.packets()] as const;
    const isBack = () => fromUdp.packets() > before[0] + 500 && fromPush.packets() > before[1] + 500;
    await until(isBack, 10_000, 'both receivers get packets again');
    for (const player of players) await player.stop();
    for (const file of files) expectWhole(await inspect(file), 3);
    fromPush.close();
    fromUdp.close();
  });
});

describe('bad input', () => {
  test('random bytes on both ports end with a reason and disturb nobody', async () => {
    const channel = await addChannel();
    publish(channel.pushRtmp);
    await untilLive(channel.id);
    const file = fileIn(folder, 'beside-noise.mkv');
    const player = record(channel.playRtmp, file, 8);
    const memory = await hub.engineMemory();
    const noise = crypto.getRandomValues(new Uint8Array(60_000));
    const udp = createSocket('udp4');
    for (let i = 0; i < 200; i++) udp.send(noise.subarray(i * 100, i * 100 + 200), hub.ports.srt, '127.0.0.1');
    for (let i = 0; i < 40; i++) await sendAndWaitForEnd(hub.ports.rtmp, noise);
    udp.close();
    expect(await player.exited).toBe(0);
    expectWhole(await inspect(file), 8);
    expect(await hub.engineMemory()).toBeLessThan(memory + 40 * 1024 * 1024);
  });

  test('an SRT publisher that sends no transport stream is closed', async () => {
    const channel = await addChannel();
    const url = `srt://127.0.0.1:${hub.ports.srt}?mode=caller&streamid=push-${channels}`;
    const sender = Bun.spawn(['srt-live-transmit', '-q', 'file://con', url], {
      stdin: 'pipe',
      stdout: 'ignore',
      stderr: 'ignore',
    });
    const noise = crypto.getRandomValues(new Uint8Array(1316));
    await until(
      () => {
        sender.stdin.write(noise);
        sender.stdin.flush();
        return hub.logs().includes('reason=noSync');
      },
      15_000,
      'the log names the fault',
    );
    sender.kill('SIGKILL');
    expect((await view(channel.id)).state).not.toBe('live');
  });
});

async function sendAndWaitForEnd(port: number, bytes: Uint8Array): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: { data: () => undefined, close: () => resolve(), error: () => resolve(), connectError: () => resolve() },
  });
  socket.write(bytes);
  socket.flush();
  await promise;
}

async function freeUdpPort(): Promise<number> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const { port } = socket.address();
  await new Promise<void>((resolve) => socket.close(() => resolve()));
  return port;
}
