/** The connections of browsers: how many there may be, and their requests. */
import { expect, test } from 'bun:test';
import { until } from '../../../tests/support/until.ts';
import { encoder } from '../devices/device-hub-for-test.ts';
import { maxConnectionsOfAddress, maxStrangers } from './console.ts';
import { connect, consoleHub, page, raw, statusOf } from './console-rig-for-test.ts';

test('connections of one address are limited, and their places are free again once they have ended', async () => {
  const hub = await consoleHub();
  await hub.device(encoder, () => page());
  const { port, host } = await hub.open(encoder);
  const all = await Promise.all(Array.from({ length: maxConnectionsOfAddress }, () => connect(port)));
  const more = await connect(port);
  await until(() => more.isClosed);
  for (const { socket } of all) socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  await until(() => all.every(({ isClosed }) => isClosed));
  // The hub hears of the end a moment later.
  await until(async () => statusOf(await raw(port, `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`)) === 401);
});

test('connections without a session keep no user out', async () => {
  const hub = await consoleHub();
  await hub.device(encoder, () => page());
  const { send, port, cookie, host } = await hub.open(encoder);
  const own = await connect(port);
  own.socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\n\r\n`);
  await until(() => own.received.endsWith('page'));
  const addresses = Array.from({ length: 6 }, (_, at) => `127.0.0.${at + 2}`);
  const strangers = await Promise.all(
    addresses.flatMap((address) => Array.from({ length: 100 }, () => connect(port, address))),
  );
  await until(() => strangers.filter(({ isClosed }) => !isClosed).length <= maxStrangers);
  expect(statusOf(await send('GET /'))).toBe(200);
  expect(own.isClosed).toBe(false);
});

test('reads follow each other on one connection to the device, again if it has ended that, and writes get their own', async () => {
  const hub = await consoleHub();
  await hub.add(encoder);
  let connections = 0;
  let breaks = false;
  const seen: string[] = [];
  const device = Bun.listen({
    ...{ hostname: '127.0.0.1', port: 0 },
    socket: {
      open() {
        connections += 1;
      },
      data(socket, bytes) {
        seen.push(bytes.toString().split(' ')[1] ?? '');
        if (breaks) socket.terminate();
        else socket.write(page('x'));
        breaks = false;
      },
    },
  });
  hub.fleet.tcp.set(`${encoder}:80`, device.port);
  const { port, host, cookie } = await hub.open(encoder);
  const connection = await connect(port);
  const request = async (line: string) => {
    const before = connection.received.length;
    connection.socket.write(`${line} HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\n\r\n`);
    await until(() => connection.received.length > before && connection.received.endsWith('x'));
  };
  await request('GET /one');
  await request('GET /two');
  expect(connections).toBe(1);
  breaks = true;
  await request('GET /three');
  expect([connections, seen]).toEqual([2, ['/one', '/two', '/three', '/three']]);
  await request('DELETE /four');
  expect(connections).toBe(3);
  device.stop(true);
});

test('requests follow each other on one connection', async () => {
  const hub = await consoleHub();
  const device = await hub.device(encoder, (head) => page(/ (\S+) /.exec(head)?.[1]));
  const { port, host, cookie } = await hub.open(encoder);
  const connection = await connect(port);
  const request = (path: string) =>
    `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\nContent-Length: 3\r\n\r\nabc`;
  connection.socket.write(request('/one') + request('/two') + request('/three'));
  await until(() => connection.received.endsWith('/three'));
  expect(connection.received.split('\r\n\r\n').map((part) => part.slice(0, 4))).toEqual([
    'HTTP',
    '/one',
    '/two',
    '/thr',
  ]);
  expect(device.received.map((text) => text.slice(-3))).toEqual(['abc', 'abc', 'abc']);
  expect(connection.isClosed).toBe(false);
});
