/** WebSockets of a device through the hub's proxy and its link, compared with a direct connection. */
import type { LinkFigure } from '../report/result.ts';
import { median } from '../statistics.ts';
import { ratio } from './measure-link.ts';

/** Both ways in turn: other load on the machine affects both. */
const rounds = 5;
const echoes = 400;
const bulkMessages = 400;
const messageBytes = 64 << 10;
const inFlight = 16;

export async function measureSockets(directPort: number, proxyPort: number): Promise<LinkFigure[]> {
  const added: number[] = [];
  const bulk: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const direct = await measureSocket(directPort);
    const proxied = await measureSocket(proxyPort);
    added.push(proxied.p50Ms - direct.p50Ms);
    bulk.push(proxied.bytesPerSecond / direct.bytesPerSecond);
  }
  return [
    { what: 'WebSocket: added p50 of an echo', found: median(added), unit: 'ms', atMost: 0.2 },
    ratio('WebSocket: echoed bulk, against direct', median(bulk), { atLeast: 0.2 }),
  ];
}

async function measureSocket(port: number): Promise<{ readonly p50Ms: number; readonly bytesPerSecond: number }> {
  const headers = { origin: `http://127.0.0.1:${port}` };
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`, { headers } as never);
  socket.binaryType = 'arraybuffer';
  await new Promise<void>((resolve, reject) => {
    socket.onopen = () => resolve();
    socket.onerror = () => reject(new Error(`no WebSocket on ${port}`));
  });
  const times: number[] = [];
  for (let at = 0; at < echoes; at++) {
    const began = performance.now();
    await new Promise<void>((resolve) => {
      socket.onmessage = () => resolve();
      socket.send('echo');
    });
    times.push(performance.now() - began);
  }
  const began = performance.now();
  await new Promise<void>((resolve) => {
    const message = new Uint8Array(messageBytes);
    let [sent, received] = [0, 0];
    socket.onmessage = () => {
      received += 1;
      if (received === bulkMessages) resolve();
      else if (sent < bulkMessages) {
        sent += 1;
        socket.send(message);
      }
    };
    for (; sent < inFlight; sent++) socket.send(message);
  });
  const seconds = (performance.now() - began) / 1000;
  socket.close();
  return { p50Ms: median(times), bytesPerSecond: (bulkMessages * messageBytes) / seconds };
}
