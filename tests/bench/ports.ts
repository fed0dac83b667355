/** Free ports on loopback. Below the kernel's own range, so that no outgoing connection takes one in the meantime. */
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

const first = 20_000;
const last = 31_000;
let next = first + Math.floor(Math.random() * (last - first));

/** The first of `count` ports in a row that are free for TCP and UDP. */
export async function freePorts(count: number): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    if (next + count > last) next = first;
    const base = next;
    next += count;
    const checks = await Promise.all(Array.from({ length: count }, (_, i) => isFree(base + i)));
    if (checks.every(Boolean)) return base;
  }
  throw new Error(`no ${count} free ports in a row on 127.0.0.1`);
}

async function isFree(port: number): Promise<boolean> {
  return (await isTcpFree(port)) && (await isUdpFree(port));
}

function isTcpFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

function isUdpFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    socket.once('error', () => resolve(false));
    socket.bind(port, '127.0.0.1', () => socket.close(() => resolve(true)));
  });
}

/** For who takes one connection only and so can't be tried: resolves when the port is no longer free. */
export async function untilBound(port: number): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt++) {
    if (!(await isTcpFree(port))) return;
    await Bun.sleep(20);
  }
  throw new Error(`nobody listens on ${port} after 10 s`);
}
