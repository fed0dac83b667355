/** Preview streams of many devices: to viewers that read, and to viewers that have stopped. */
import { connect, type Socket } from 'node:net';
import { printedBy, startProgram } from '../link/rig.ts';
import { cpuSeconds, rssBytes, threadTimes } from '../proc.ts';
import type { LinkFigure } from '../report/result.ts';

const pictures = 500;
const viewers = 5;
const stalledViewers = 10;
const settleMs = 3000;
const windowMs = 8000;
const memorySamples = 30;
const sampleMs = 100;
const mebibyte = 2 ** 20;

interface Found {
  readonly cpu: number;
  readonly bytesPerSecond: number;
  /** Memory of the server per viewer that has stopped reading. */
  readonly stalledMb: number;
}

export async function measurePictures(): Promise<LinkFigure[]> {
  const ours = await measureServer('hub');
  const queued = await measureServer('queued');
  const load = `${pictures} pictures a second to ${viewers} viewers`;
  return [
    { what: `${load}: CPU`, found: ours.cpu * 100, unit: '%', atMost: 25 },
    {
      what: `${load}: what arrives, of what a server sends that queues all`,
      ...{ found: ours.bytesPerSecond / queued.bytesPerSecond, unit: '×', atLeast: 0.9 },
    },
    { what: 'a viewer of pictures that has stopped reading: memory', found: ours.stalledMb, unit: 'MB', atMost: 2 },
    { what: 'control that queues all pictures: memory', found: queued.stalledMb, unit: 'MB', atLeast: 20 },
  ];
}

/** Without what the garbage collector has yet to free. */
async function leastMemory(pid: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let at = 0; at < memorySamples; at++) {
    await Bun.sleep(sampleMs);
    least = Math.min(least, rssBytes([pid]));
  }
  return least;
}

async function measureServer(kind: 'hub' | 'queued'): Promise<Found> {
  const server = startProgram<{ port: number }>('../devices/pictures-server', [kind, pictures]);
  const port = await printedBy(server, 'port');
  const sockets: Socket[] = [];
  const open = (onBytes: (bytes: number) => void): Socket => {
    const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: hub\r\n\r\n'));
    socket.on('error', () => {});
    socket.on('data', ({ length }) => onBytes(length));
    sockets.push(socket);
    return socket;
  };
  try {
    let bytes = 0;
    for (let at = 0; at < viewers; at++) open((more) => (bytes += more));
    await Bun.sleep(settleMs);
    const [threads, before] = [threadTimes([server.pid]), bytes];
    await Bun.sleep(windowMs);
    const cpu = (cpuSeconds(threads, threadTimes([server.pid])) * 1000) / windowMs;
    const bytesPerSecond = ((bytes - before) * 1000) / windowMs;
    const held = await leastMemory(server.pid);
    for (let at = 0; at < stalledViewers; at++) {
      const socket = open(() => socket.pause());
    }
    await Bun.sleep(windowMs);
    const stalledMb = ((await leastMemory(server.pid)) - held) / mebibyte / stalledViewers;
    return { cpu, bytesPerSecond, stalledMb };
  } finally {
    for (const socket of sockets) socket.destroy();
    await server.child.kill();
  }
}
