/** What loads a port: one large download, many small requests, clients that stop reading. */
import { connect, type Socket } from 'node:net';
import { median } from '../statistics.ts';

const downloadMs = 120_000;

async function output(argv: readonly string[]): Promise<string> {
  const child = Bun.spawn([...argv], { stdout: 'pipe', stderr: 'ignore', timeout: downloadMs });
  const [text] = await Promise.all([new Response(child.stdout).text(), child.exited]);
  return text;
}

/** Returns bytes per second. */
export async function download(port: number, range?: string): Promise<number> {
  const text = await output([
    ...['curl', '--silent', '--output', '/dev/null', '--write-out', '%{http_code} %{speed_download}'],
    ...(range === undefined ? [] : ['--range', range]),
    `http://127.0.0.1:${port}/large.bin`,
  ]);
  const [status, speed] = text.split(' ').map(Number);
  if (speed === undefined || (status !== 200 && status !== 206)) throw new Error(`curl got status ${status}`);
  return speed;
}

/** Returns the median of the milliseconds until the first byte of a small file arrives, each time on a new connection. */
export async function firstByteMs(port: number, times: number): Promise<number> {
  const all: number[] = [];
  for (let at = 0; at < times; at++) {
    const text = await output([
      ...['curl', '--silent', '--output', '/dev/null', '--write-out', '%{http_code} %{time_starttransfer}'],
      `http://127.0.0.1:${port}/small.bin`,
    ]);
    const [status, seconds = 0] = text.split(' ').map(Number);
    if (status !== 200) throw new Error(`curl got status ${status}`);
    all.push(seconds * 1000);
  }
  return median(all);
}

export interface SmallRequests {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly perSecond: number;
}

/** Small files over connections that are kept open. Throws if a request fails. */
export async function smallRequests(port: number, connections: number, seconds: number): Promise<SmallRequests> {
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '--latency'];
  const text = await output(['wrk', ...args, `http://127.0.0.1:${port}/small.bin`]);
  const found = (pattern: RegExp) => pattern.exec(text)?.[1] ?? '';
  const perSecond = Number(found(/Requests\/sec:\s+(\S+)/));
  if (!(perSecond > 0) || /Non-2xx/.test(text)) throw new Error(`wrk: ${text}`);
  return { p50Ms: milliseconds(found(/^ +50%\s+(\S+)/m)), p99Ms: milliseconds(found(/^ +99%\s+(\S+)/m)), perSecond };
}

function milliseconds(text: string): number {
  const [, number = 'NaN', unit = ''] = /^([\d.]+)(us|ms|s)$/.exec(text) ?? [];
  const factors: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000 };
  return Number(number) * (factors[unit] ?? Number.NaN);
}

/** Clients that ask for the large file, read 1 KiB of it and stop. */
export async function stall(port: number, count: number): Promise<() => void> {
  const sockets = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<Socket>((resolve, reject) => {
          const socket = connect(port, '127.0.0.1', () => {
            socket.write('GET /large.bin HTTP/1.1\r\nHost: device\r\n\r\n');
          });
          socket.once('error', reject);
          socket.once('readable', () => {
            socket.read(1024);
            resolve(socket);
          });
        }),
    ),
  );
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}
