import { afterEach, expect, test } from 'bun:test';
import { createSocket, type Socket } from 'node:dgram';
import type { Attempt, AttemptEvents, LegEnd } from '../leg.ts';
import { packetSize } from '../mpegts/packet.ts';
import { createTsBus, type TsBus } from '../mpegts/ts-bus.ts';
import type { UdpEndpointAddress } from '../protocol.ts';
import { openUdpOutput } from './output.ts';

const attempts: Attempt[] = [];
const sockets: Socket[] = [];

afterEach(() => {
  for (const attempt of attempts.splice(0)) attempt.close('end of the test');
  for (const socket of sockets.splice(0)) socket.close();
});

async function receiver(): Promise<{ port: number; sizes: number[]; until(count: number): Promise<void> }> {
  const socket = createSocket('udp4');
  sockets.push(socket);
  const sizes: number[] = [];
  let wanted = Number.POSITIVE_INFINITY;
  let done: () => void = () => undefined;
  socket.on('message', (data) => {
    if (sizes.push(data.length) >= wanted) done();
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const until = (count: number) =>
    new Promise<void>((resolve) => {
      wanted = count;
      done = resolve;
      if (sizes.length >= count) resolve();
    });
  return { port: socket.address().port, sizes, until };
}

async function open(bus: TsBus, change: Partial<UdpEndpointAddress>): Promise<{ attempt: Attempt; end?: LegEnd }> {
  const { promise, resolve } = Promise.withResolvers<LegEnd | undefined>();
  const events: AttemptEvents = { connected: () => resolve(undefined), ended: resolve };
  const target: UdpEndpointAddress = { protocol: 'udp', host: '127.0.0.1', port: 1, ttl: 1, interface: '', ...change };
  const attempt = openUdpOutput(target, bus, events);
  attempts.push(attempt);
  const end = await promise;
  return { attempt, ...(end && { end }) };
}

function push(bus: TsBus, packets: number, entryPoint: boolean): void {
  const data = new Uint8Array(packets * packetSize).fill(0x47);
  bus.ring.push({ data, bytes: data.length, entryPoint });
  bus.ring.notify();
}

test('datagrams hold seven packets, the last one of a unit what is left', async () => {
  const bus = createTsBus();
  const { port, sizes, until } = await receiver();
  await open(bus, { port });
  push(bus, 16, true);
  await until(3);
  expect(sizes).toEqual([1316, 1316, 376]);
});

test('a burst bigger than a receive buffer arrives whole', async () => {
  const bus = createTsBus();
  const { port, until } = await receiver();
  const { attempt } = await open(bus, { port });
  push(bus, 7 * 600, true);
  await until(600);
  expect(attempt.bytes).toBe(600 * 1316);
});

test('sending begins at the next entry point', async () => {
  const bus = createTsBus();
  push(bus, 7, true);
  const { port, sizes, until } = await receiver();
  await open(bus, { port });
  push(bus, 14, false);
  push(bus, 3, true);
  await until(1);
  expect(sizes).toEqual([3 * packetSize]);
});

test('nobody at the destination costs no datagram', async () => {
  const bus = createTsBus();
  const closed = await receiver();
  sockets.pop()?.close();
  const { attempt } = await open(bus, { port: closed.port });
  push(bus, 7 * 30, true);
  expect(attempt.bytes).toBe(30 * 1316);
  expect(attempt.skipped).toBe(0);
});

test('a name without an address ends the attempt with its cause', async () => {
  const { end } = await open(createTsBus(), { host: 'no-such-host.invalid' });
  expect(end).toMatchObject({ reason: 'dnsFailed', hopeless: true });
});
