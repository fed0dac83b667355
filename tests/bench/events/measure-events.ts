/** Measures CPU and memory of serving a large fleet's events, to clients that read and to clients that do not. */
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { type Child, startTalkingChild } from '../child.ts';
import { cpuSeconds, machineBusySeconds, rssBytes, threadTimes } from '../proc.ts';
import type { EventsResult, EventsSubject } from '../report/result.ts';
import { load } from './load.ts';

const root = join(import.meta.dir, '../../..');
const settleMs = 3000;

export async function measureEvents(windowMs: number): Promise<EventsResult> {
  const subjects: EventsSubject[] = [];
  for (const kind of ['hub', 'plain'] as const) subjects.push(await measureSubject(kind, windowMs));
  return { ...load, subjects };
}

async function measureSubject(kind: 'hub' | 'plain', windowMs: number): Promise<EventsSubject> {
  const { child, port } = await startServer(kind);
  const sockets: Socket[] = [];
  const open = (reads: boolean): { bytes: number } => {
    const counter = { bytes: 0 };
    const socket = connect(port, '127.0.0.1', () => {
      socket.write('GET /api/events?topics=devices HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
      if (!reads) socket.pause();
    });
    if (reads) socket.on('data', ({ length }) => (counter.bytes += length));
    socket.on('error', () => {});
    sockets.push(socket);
    return counter;
  };
  try {
    await Bun.sleep(settleMs);
    const emptyBytes = rssBytes([child.pid]);
    const readers = Array.from({ length: load.listeners }, () => open(true));
    await Bun.sleep(settleMs);
    const before = readers.map(({ bytes }) => bytes);
    const [threads, own, busy] = [threadTimes([child.pid]), threadTimes([process.pid]), machineBusySeconds()];
    await Bun.sleep(windowMs);
    const seconds = windowMs / 1000;
    const cpu = cpuSeconds(threads, threadTimes([child.pid]));
    const others = machineBusySeconds() - busy - cpu - cpuSeconds(own, threadTimes([process.pid]));
    const readBytes = rssBytes([child.pid]);
    const rates = readers.map(({ bytes }, at) => (bytes - (before[at] ?? 0)) / seconds);
    for (let at = 0; at < load.listeners; at++) open(false);
    await Bun.sleep(windowMs);
    return {
      kind,
      cpu: cpu / seconds,
      othersCpu: Math.max(0, others / seconds),
      emptyBytes,
      readBytes,
      unreadBytes: rssBytes([child.pid]),
      leastBytesPerSecond: Math.min(...rates),
    };
  } finally {
    for (const socket of sockets) socket.destroy();
    await child.kill();
  }
}

async function startServer(kind: string): Promise<{ readonly child: Child; readonly port: number }> {
  const port = Promise.withResolvers<number>();
  const script = join(root, 'tests/bench/events/server.ts');
  const { child } = startTalkingChild(`events ${kind}`, [process.execPath, script, kind], (line) =>
    port.resolve(Number(line)),
  );
  void child.exited.then(() => port.reject(new Error(`the server of events ended: ${child.lastWords()}`)));
  return { child, port: await port.promise };
}
