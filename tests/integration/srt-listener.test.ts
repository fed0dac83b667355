/** SRT inputs and outputs that listen on their own port, with ffmpeg and srt-live-transmit as callers. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { createSocket } from 'node:dgram';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { connectionStates, sourceStates } from '../../daemon/contract/streams.ts';
import { packetSize } from '../../daemon/engine/mpegts/packet.ts';
import { createTsScanner } from '../../daemon/engine/mpegts/scanner.ts';
import { leasePort } from '../support/ports.ts';
import { until, untilSeen, usualMs } from '../support/until.ts';
import { type HubProcess, startHub } from './hub-process.ts';
import { fileIn, inspect, killAll, picture, publish, record, untilRecorded } from './live-media.ts';

setDefaultTimeout(90_000);

let hub: HubProcess;
const folder = mkdtempSync(`${tmpdir()}/sb-srt-listener-`);
const receivers = new Set<Receiver>();

beforeAll(async () => {
  hub = await startHub({});
  await hub.login();
});
afterEach(async () => {
  await killAll();
  for (const receiver of receivers) receiver.stop();
  receivers.clear();
});
afterAll(async () => {
  await hub.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Connection {
  'conn-state': number;
  state: number;
  reason?: string;
  refused?: { addr: string; time: number };
  addr: string;
  kbps: number;
  reconnects: number;
}
interface ChannelView {
  state: string;
  input: Connection;
  outputs: { list: (Connection & { id: number })[] };
  clients: { total: number; list: { id: number; protocol: number; addr: string; 'total-bytes': number }[] };
}
const view = (id: number) => hub.api<ChannelView>(`/api/channel/query?id=${id}`);
const inputOf = async (id: number) => (await view(id)).input;
const outputOf = async (id: number, output: number) =>
  (await view(id)).outputs.list.find((one) => one.id === output) as Connection;
const untilLive = (id: number) =>
  untilSeen(
    () => view(id),
    ({ state }) => state === 'live',
    usualMs,
    `channel ${id} is live`,
  );
const untilClients = (id: number, count: number) =>
  untilSeen(
    () => view(id),
    ({ clients }) => clients.total === count,
    usualMs,
    `channel ${id} has ${count} clients`,
  );

let names = 0;
async function addChannel(): Promise<{ id: number; push: string }> {
  const push = `listen-push-${++names}`;
  const config = { 'push-key': push, 'play-key': `listen-play-${names}`, enable: true };
  const { id } = await hub.api<{ id: number }>('/api/channel/add', { name: `Channel ${names}`, config });
  return { id, push: `srt://127.0.0.1:${hub.ports.srt}?mode=caller&streamid=${push}&pkt_size=1316` };
}

async function addOutput(channel: number, srt: object): Promise<number> {
  const { id } = await hub.api<{ id: number }>('/api/output/add', { name: `Out ${++names}`, config: { srt }, channel });
  await hub.api('/api/channel/output/enable', { id: channel, output: id, enable: true });
  return id;
}

interface Receiver {
  readonly child: Bun.Subprocess<'ignore', 'pipe', 'pipe'>;
  readonly packets: () => number;
  readonly errors: () => number;
  readonly output: () => string;
  readonly stop: () => void;
}

/** srt-live-transmit calls; every packet that it receives is checked. */
function receive(url: string): Receiver {
  const child = Bun.spawn(['srt-live-transmit', '-a:no', '-loglevel:note', url, 'file://con'], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const scanner = createTsScanner();
  let [packets, output] = [0, ''];
  void (async () => {
    let rest = Buffer.alloc(0);
    for await (const chunk of child.stdout) {
      const data = Buffer.concat([rest, chunk]);
      const whole = data.length - (data.length % packetSize);
      for (let at = 0; at < whole; at += packetSize) scanner.scan(data, at);
      packets += whole / packetSize;
      rest = data.subarray(whole);
    }
  })();
  void (async () => {
    for await (const chunk of child.stderr) output += new TextDecoder().decode(chunk);
  })();
  const receiver: Receiver = {
    child,
    packets: () => packets,
    errors: () => scanner.continuityErrors,
    output: () => output,
    stop: () => child.kill('SIGKILL'),
  };
  receivers.add(receiver);
  return receiver;
}

test('a listening input accepts one sender with AES-256 and its stream id, and waits for the next', async () => {
  const channel = await addChannel();
  const port = leasePort();
  const listener = { mode: 'listener', host: '127.0.0.1', port, latency: 120 };
  const { id } = await hub.api<{ id: number }>('/api/input/source/add', {
    name: 'Gate',
    config: { srt: { ...listener, 'pb-key-len': 32, passphrase: 'correct horse', 'stream-id': 'camera/1' } },
  });
  await hub.api('/api/channel/input/set', { id: channel.id, input: id });
  const isWaiting = async () => (await inputOf(channel.id))['conn-state'] === connectionStates.waitingForData;
  await until(isWaiting, 20_000, 'the input waits for data');
  expect(await inputOf(channel.id)).toMatchObject({ state: sourceStates.running, reason: 'noData' });

  const url = `srt://127.0.0.1:${port}?mode=caller&pkt_size=1316`;
  const right = `${url}&passphrase=correct horse&pbkeylen=32&streamid=camera/1`;
  for (const wrong of [
    `${url}&passphrase=correct horse&pbkeylen=32&streamid=camera/2`,
    `${url}&passphrase=correct horse&pbkeylen=32`,
  ]) {
    expect(await publish(wrong).exited).not.toBe(0);
  }
  expect(await isWaiting()).toBe(true);
  for (const passphrase of ['&passphrase=something else&pbkeylen=32', '']) {
    const began = Date.now();
    expect(await publish(`${url}${passphrase}&streamid=camera/1`).exited).not.toBe(0);
    await until(async () => ((await inputOf(channel.id)).refused?.time ?? 0) >= began, 10_000, 'the refusal shows');
    expect(await inputOf(channel.id)).toMatchObject({
      ...{ 'conn-state': connectionStates.authorizationFailed, state: sourceStates.running },
      ...{ reason: 'wrongPassphrase', refused: { addr: expect.stringMatching(/^127\.0\.0\.1:\d+$/) } },
    });
  }

  const sender = publish(right);
  await untilLive(channel.id);
  const taken = await inputOf(channel.id);
  expect(taken).toMatchObject({ 'conn-state': connectionStates.connected });
  expect([taken.reason, taken.refused]).toEqual([undefined, undefined]);
  expect(await publish(right).exited).not.toBe(0);
  const file = fileIn(folder, 'from-listener.mkv');
  const play = `rtmp://127.0.0.1:${hub.ports.rtmp}/live/listen-play-1`;
  expect(await record(play, file, 5).exited).toBe(0);
  const { videoCodec, audioCodec, width, goesBack, longestGap } = await inspect(file);
  expect({ videoCodec, audioCodec, width, goesBack }).toEqual({
    ...{ videoCodec: picture.codec, audioCodec: 'aac', width: picture.width, goesBack: false },
  });
  expect(longestGap.video).toBeLessThan(0.1);

  await sender.stop();
  await until(isWaiting, 20_000, 'the input waits again');
  expect(await inputOf(channel.id)).toMatchObject({ state: sourceStates.running });
  publish(right);
  await untilLive(channel.id);

  process.kill(await hub.endpointPid('srt'), 'SIGKILL');
  await until(async () => (await inputOf(channel.id)).state === sourceStates.failed, 20_000, 'the loss shows');
  await until(isWaiting, 10_000, 'it listens again');
  publish(right);
  await untilLive(channel.id);
  expect(hub.logs()).not.toContain('correct horse');
  expect(hub.logs()).not.toContain('camera/1');
});

test('a listening output serves its maximum number of clients, and a frozen one affects no other', async () => {
  const channel = await addChannel();
  const port = leasePort();
  const output = await addOutput(channel.id, {
    ...{ mode: 'listener', host: '127.0.0.1', port, latency: 200, 'max-connections': 2 },
    ...{ 'pb-key-len': 16, passphrase: 'correct horse', 'bandwidth-overhead': 50 },
  });
  const isListening = async () => {
    const { state, ...shown } = await outputOf(channel.id, output);
    return state === sourceStates.running && shown['conn-state'] === connectionStates.connected;
  };
  await until(isListening, 20_000, 'it listens without input and without callers');
  publish(channel.push);
  await untilLive(channel.id);
  expect(await isListening()).toBe(true);

  const url = `srt://127.0.0.1:${port}?mode=caller&passphrase=correct horse`;
  const stranger = receive(`srt://127.0.0.1:${port}?mode=caller&passphrase=something else`);
  await until(async () => (await outputOf(channel.id, output)).reason === 'wrongPassphrase', 20_000, 'it is told');
  stranger.stop();
  expect(await outputOf(channel.id, output)).toMatchObject({
    ...{ 'conn-state': connectionStates.authorizationFailed, state: sourceStates.running },
    refused: { addr: expect.stringMatching(/^127\.0\.0\.1:\d+$/) },
  });
  const steady = receive(url);
  await until(isListening, 20_000, 'the refusal is forgotten');
  const file = fileIn(folder, 'to-listener.mkv');
  const player = record(url, file);
  await untilRecorded(file, 300_000, 20_000);
  await untilClients(channel.id, 2);
  const third = receive(url);
  await until(() => third.output().includes('rejection reason'), 20_000, 'a third caller is refused');
  third.stop();
  const { clients } = await view(channel.id);
  expect(clients.list.map(({ protocol, addr }) => [protocol, addr.replace(/\d+$/, '')])).toEqual([
    [2, '127.0.0.1:'],
    [2, '127.0.0.1:'],
  ]);
  const isServingBoth = async () => (await outputOf(channel.id, output)).kbps > 2 * 800;
  await until(isServingBoth, 20_000, 'the output counts what both get');

  player.child.kill('SIGSTOP');
  await untilClients(channel.id, 1);
  const before = steady.packets();
  await until(() => steady.packets() > before + 3000, 20_000, 'the other goes on');
  expect(steady.errors()).toBe(0);

  process.kill(await hub.endpointPid('srt'), 'SIGKILL');
  await until(() => steady.child.exitCode !== null, 10_000, 'the client has lost its connection');
  await until(isListening, 10_000, 'it listens again');
  publish(channel.push);
  await untilLive(channel.id);
  const again = receive(url);
  await until(() => again.packets() > 1000, 10_000, 'a client gets the stream again');
  expect(again.errors()).toBe(0);
  await hub.api('/api/channel/output/enable', { id: channel.id, output, enable: false });
  await until(() => again.child.exitCode !== null, 10_000, 'switched off, it sends nobody anything');
  await untilClients(channel.id, 0);
});

test('a caller with the wrong passphrase or stream id is refused with that reason', async () => {
  const channel = await addChannel();
  const port = leasePort();
  const listener = { mode: 'listener', host: '127.0.0.1', port, latency: 120 };
  const { id } = await hub.api<{ id: number }>('/api/input/source/add', {
    name: 'Door',
    config: { srt: { ...listener, 'pb-key-len': 24, passphrase: 'correct horse', 'stream-id': 'studio' } },
  });
  await hub.api('/api/channel/input/set', { id: channel.id, input: id });
  const source = await addChannel();
  publish(source.push);
  await untilLive(source.id);
  const call = { ...listener, mode: 'caller', 'pb-key-len': 24, passphrase: 'correct horse', 'stream-id': 'studio' };
  const stranger = await addOutput(source.id, { ...call, passphrase: 'something else' });
  const lost = await addOutput(source.id, { ...call, 'stream-id': 'elsewhere' });
  const reasonOf = async (output: number) => (await outputOf(source.id, output)).reason;
  await until(async () => (await reasonOf(stranger)) === 'wrongPassphrase', 10_000, 'the passphrase is named');
  await until(async () => (await reasonOf(lost)) === 'notAuthorized', 10_000, 'the stream id is not accepted');
  for (const output of [stranger, lost]) {
    expect(await outputOf(source.id, output)).toMatchObject({ 'conn-state': connectionStates.authorizationFailed });
  }
  expect((await inputOf(channel.id)).reason).toBe('wrongPassphrase');
  await addOutput(source.id, call);
  await untilLive(channel.id);
});

test('a port in use is reported, and the listener opens as soon as the port is free', async () => {
  const channel = await addChannel();
  const occupier = createSocket('udp4');
  await new Promise<void>((resolve) => occupier.bind(0, '127.0.0.1', resolve));
  const { port } = occupier.address();
  const output = await addOutput(channel.id, { mode: 'listener', host: '127.0.0.1', port, latency: 120 });
  await until(
    async () => (await outputOf(channel.id, output)).reason === 'addressInUse',
    5000,
    'the output says that the port is in use',
  );
  expect(await outputOf(channel.id, output)).toMatchObject({ state: sourceStates.failed });
  await new Promise<void>((resolve) => occupier.close(() => resolve()));
  const isOpen = async () => (await outputOf(channel.id, output))['conn-state'] === connectionStates.connected;
  await until(isOpen, 20_000, 'it listens');
  const own = await hub.answer<{ params?: object }>('/api/output/add', {
    name: 'Own',
    config: { srt: { mode: 'listener', host: '0.0.0.0', port: hub.ports.srt, latency: 120 } },
  });
  expect(own).toMatchObject({ result: 1007, params: { port: hub.ports.srt } });
});
