import { expect, test } from 'bun:test';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { probePort } from './port-probe.ts';

test('a TCP port is occupied while a server listens on it', async () => {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
  const port = server.port ?? 0;
  expect(await probePort('tcp', '127.0.0.1', port)).toBe('occupied');
  expect(await probePort('tcp', '0.0.0.0', port)).toBe('occupied');
  expect(await probePort('udp', '127.0.0.1', port)).toBe('free');
  await server.stop(true);
  expect(await probePort('tcp', '127.0.0.1', port)).toBe('free');
});

test('a UDP port is occupied while a socket is bound to it', async () => {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  expect(await probePort('udp', '127.0.0.1', port)).toBe('occupied');
  expect(await probePort('tcp', '127.0.0.1', port)).toBe('free');
  socket.close();
  await once(socket, 'close');
  expect(await probePort('udp', '127.0.0.1', port)).toBe('free');
});
