/** A network that collects packets and releases them in bursts: a buffered input smooths them out. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { createSocket } from 'node:dgram';
import { connectionStates } from '../../daemon/contract/streams.ts';
import type { UdpStream } from '../../daemon/sources/stream-address.ts';
import { leasePort } from '../support/ports.ts';
import { until } from '../support/until.ts';
import { type LiveEngine, pushed, startEngine } from './live-engine.ts';
import { killAll, publish } from './live-media.ts';

setDefaultTimeout(60_000);

const burstMs = 300;
/** Longer than the interval of bursts, with a margin for a busy machine. */
const bufferMs = 600;
/** Width of the time bins. */
const binMs = 50;
const watchedMs = 6000;

let engine: LiveEngine;
const cleanups: (() => void)[] = [];
beforeAll(async () => {
  engine = await startEngine(1);
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
  await killAll();
});
afterAll(() => engine.stop());

async function bound() {
  const socket = createSocket({ type: 'udp4', recvBufferSize: 2 << 20 });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  cleanups.push(() => socket.close());
  return socket;
}

/** Returns the port to send to; each of `ports` gets everything, in bursts. */
async function openBurstyLink(ports: readonly number[]): Promise<number> {
  const socket = await bound();
  let waiting: Buffer[] = [];
  socket.on('message', (datagram) => waiting.push(Buffer.from(datagram)));
  const timer = setInterval(() => {
    for (const datagram of waiting) for (const port of ports) socket.send(datagram, port, '127.0.0.1');
    waiting = [];
  }, burstMs);
  cleanups.push(() => clearInterval(timer));
  return socket.address().port;
}

/** Counts in how many time bins data arrived. */
async function watchSteps() {
  const socket = await bound();
  const steps = new Set<number>();
  socket.on('message', () => steps.add(Math.floor(performance.now() / binMs)));
  return { port: socket.address().port, steps, restart: () => steps.clear() };
}

const input = (protocol: 'udp' | 'rtp', port: number): UdpStream => ({
  ...{ protocol, host: '127.0.0.1', port, ttl: 16, interface: '', source: '' },
});

test.each(['udp', 'rtp'] as const)('%s arrives in bursts, and is sent evenly when it is buffered', async (protocol) => {
  const [plainPort, heldPort] = [leasePort(), leasePort()];
  const [plain, held] = [await watchSteps(), await watchSteps()];
  const output = (id: number, port: number) => ({ id, enabled: true, target: { ...input('udp', port) } });
  await engine.put(
    pushed(1, { inputId: 11, input: input(protocol, plainPort), outputs: [output(21, plain.port)] }),
    pushed(2, { inputId: 12, input: { ...input(protocol, heldPort), bufferMs }, outputs: [output(22, held.port)] }),
  );
  const link = await openBurstyLink([plainPort, heldPort]);
  publish(`${protocol}://127.0.0.1:${link}?pkt_size=1316`);
  const isFlowing = (id: number) => engine.channel(id).outputs[0]?.conn === connectionStates.connected;
  await until(() => isFlowing(1) && isFlowing(2) && held.steps.size > 20, 30_000, 'both flow');
  for (const watch of [plain, held]) watch.restart();
  // Both are measured over the same time, so that the machine's load affects both equally.
  await Bun.sleep(watchedMs);
  const all = watchedMs / binMs;
  expect(plain.steps.size).toBeLessThan(all / 2);
  expect(held.steps.size).toBeGreaterThan(1.5 * plain.steps.size);
  const { input: status } = engine.channel(2);
  expect(status.quality?.bufferMs).toBeGreaterThan(0);
  expect(status.quality?.bufferMs).toBeLessThanOrEqual(bufferMs + binMs);
  expect(status.ccErrors).toBe(0);
  expect(engine.channel(1).input.quality).not.toHaveProperty('bufferMs');
});
