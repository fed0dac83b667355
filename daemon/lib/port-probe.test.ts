import { expect, test } from 'bun:test';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { probePort } from './port-probe.ts';

/** A port that is free for both protocols, outside the range from which the system assigns others. */
async function freeNumber(): Promise<number> {
  for (let port = 20_000 + (process.pid % 5000); port < 32_000; port++) {
    const states = await Promise.all([probePort('tcp', '0.0.0.0', port), probePort('udp', '0.0.0.0', port)]);
    if (states.every((state) => state === 'free')) return port;
  }
  throw new Error('no number is free for TCP and UDP');
}

test('a TCP port is occupied while a server listens on it', async () => {
  const server = Bun.serve({ port: await freeNumber(), hostname: '127.0.0.1', fetch: () => new Response() });
  const port = server.port ?? 0;
  expect(await probePort('tcp', '127.0.0.1', port)).toBe('occupied');
  expect(await probePort('tcp', '0.0.0.0', port)).toBe('occupied');
  expect(await probePort('udp', '127.0.0.1', port)).toBe('free');
  await server.stop(true);
  expect(await probePort('tcp', '127.0.0.1', port)).toBe('free');
});

test('a UDP port is occupied while a socket is bound to it', async () => {
  const port = await freeNumber();
  const socket = createSocket('udp4');
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
  expect(await probePort('udp', '127.0.0.1', port)).toBe('occupied');
  expect(await probePort('tcp', '127.0.0.1', port)).toBe('free');
  socket.close();
  await once(socket, 'close');
  expect(await probePort('udp', '127.0.0.1', port)).toBe('free');
});
