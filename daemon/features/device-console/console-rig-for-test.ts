/** A hub with devices in memory, whose web pages are raw sockets, and a browser that is one, too. */
import { afterEach } from 'bun:test';
import { once } from 'node:events';
import { createConnection, type Socket as NodeSocket } from 'node:net';
import type { Socket } from 'bun';
import { until } from '../../../tests/support/until.ts';
import { deviceHub } from '../devices/device-hub-for-test.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

export interface RawDevice {
  readonly port: number;
  /** What each connection has sent, as latin1. */
  readonly received: string[];
  readonly sockets: Socket<number>[];
}

/** Answers each connection with this, once a head has arrived; undefined: not at all. */
export function rawDevice(answer: (head: string, socket: Socket<number>) => string | undefined): RawDevice {
  const device: RawDevice & { port: number } = { port: 0, received: [], sockets: [] };
  const listener = Bun.listen<number>({
    ...{ hostname: '127.0.0.1', port: 0 },
    socket: {
      open(socket) {
        socket.data = device.received.push('') - 1;
        device.sockets.push(socket);
      },
      data(socket, bytes) {
        const before = device.received[socket.data] ?? '';
        const after = before + bytes.toString('latin1');
        device.received[socket.data] = after;
        if (before.includes('\r\n\r\n') || !after.includes('\r\n\r\n')) return;
        const text = answer(after, socket);
        if (text !== undefined) {
          socket.write(Buffer.from(text, 'latin1'));
          if (!text.startsWith('HTTP/1.1 101')) socket.end();
        }
      },
    },
  });
  device.port = listener.port;
  closing.push(() => listener.stop(true));
  return device;
}

export const page = (body = 'page', ...headers: readonly string[]): string =>
  ['HTTP/1.1 200 OK', `Content-Length: ${body.length}`, ...headers, '', body].join('\r\n');

export interface RawConnection {
  received: string;
  isClosed: boolean;
  readonly socket: NodeSocket;
}

/** `from`: the address of the client. */
export async function connect(port: number, from = '127.0.0.1'): Promise<RawConnection> {
  const socket = createConnection({ port, host: '127.0.0.1', localAddress: from, noDelay: true });
  const connection: RawConnection = { received: '', isClosed: false, socket };
  socket.on('data', (bytes: Buffer) => {
    connection.received += bytes.toString('latin1');
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    connection.isClosed = true;
  });
  await once(socket, 'connect');
  closing.push(() => socket.destroy());
  return connection;
}

export function freePort(): string {
  const lease = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  lease.stop(true);
  return String(lease.port);
}

/** Sends these bytes, and returns what comes until the connection ends. */
export async function raw(port: number, text: string): Promise<string> {
  const connection = await connect(port);
  connection.socket.write(Buffer.from(text, 'latin1'));
  await until(() => connection.isClosed, 10_000, `an answer to ${JSON.stringify(text.slice(0, 200))}`);
  return connection.received;
}

export const statusOf = (response: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(response)?.[1]);
export const headerIn = (response: string, name: string): string[] => {
  const [head = ''] = response.split('\r\n\r\n');
  const lines = head.split('\r\n').filter((line) => line.toLowerCase().startsWith(`${name}:`));
  return lines.map((line) => line.slice(name.length + 1).trim());
};

export async function consoleHub(env: Record<string, string> = {}) {
  const hub = await deviceHub({ SIGNALBOX_CONSOLE_PORT: '0', ...env });
  closing.push(hub.hub.close);

  /** Asks the hub for the page; `as`: a session. */
  const ask = (sn: string, as = hub.admin, headers: Record<string, string> = {}) =>
    hub.call(`/socket/sc-remote/${sn}/`, { as, headers });
  /** Uses a ticket. `cookies`: those of the browser. */
  const enter = async (url: string, cookies = '') => {
    const { port, host, pathname, search } = new URL(url);
    const cookie = cookies === '' ? '' : `Cookie: ${cookies}\r\n`;
    const lines = `GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${cookie}`;
    const response = await raw(Number(port), `${lines}Accept: text/html\r\n\r\n`);
    const [set = ''] = headerIn(response, 'set-cookie');
    return { port: Number(port), host, response, set, cookie: set.split(';')[0] ?? '' };
  };
  /** Says on the page that asks for it that the page of the other device is closed. */
  const confirm = async (asked: { port: number; host: string; response: string }, cookies: string, origin?: string) => {
    const { port, host } = asked;
    const body = `ticket=${/name="ticket" value="([^"]+)"/.exec(asked.response)?.[1] ?? ''}`;
    const lines = [
      ...['POST /_signalbox/open HTTP/1.1', `Host: ${host}`, `Cookie: ${cookies}`, 'Connection: close'],
      ...[`Origin: ${origin ?? `http://${host}`}`, 'Content-Type: application/x-www-form-urlencoded'],
      `Content-Length: ${body.length}`,
    ];
    const response = await raw(port, `${lines.join('\r\n')}\r\n\r\n${body}`);
    return { response, set: headerIn(response, 'set-cookie')[0] ?? '' };
  };
  return {
    ...hub,
    ask,
    enter,
    confirm,
    /** A device with this page. */
    async device(sn: string, answer: Parameters<typeof rawDevice>[0]): Promise<RawDevice> {
      const device = rawDevice(answer);
      await hub.add(sn);
      hub.fleet.tcp.set(`${sn}:80`, device.port);
      return device;
    },
    /** Opens the page of the device; returns its port, and a function that sends a request with the session. */
    async open(sn: string, as = hub.admin) {
      const response = await ask(sn, as);
      const entered = await enter(response.headers.get('location') ?? '');
      const { port, host, cookie } = entered;
      const send = (request: string, ...headers: readonly string[]) => {
        const lines = [`${request} HTTP/1.1`, `Host: ${host}`, `Cookie: ${cookie}`, 'Connection: close', ...headers];
        return raw(port, `${lines.join('\r\n')}\r\n\r\n`);
      };
      return { ...entered, send };
    },
  };
}

export type ConsoleHub = Awaited<ReturnType<typeof consoleHub>>;
