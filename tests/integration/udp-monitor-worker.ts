/**
 * Receives transport stream packets on its own thread. A test that reads a large file or starts a process blocks its
 * event loop, and meanwhile the kernel would drop datagrams that the output did send.
 */
import { createSocket } from 'node:dgram';
import { packetSize } from '../../daemon/engine/mpegts/packet.ts';
import { createTsScanner } from '../../daemon/engine/mpegts/scanner.ts';

/** Indexes into the shared memory. Only the worker writes to it. */
export const counted = { port: 0, packets: 1, continuityErrors: 2, longestPauseMs: 3, length: 4 } as const;

declare const self: Worker;

if (!Bun.isMainThread) {
  self.onmessage = ({ data }: MessageEvent<SharedArrayBuffer>) => receive(new Float64Array(data));
}

function receive(counts: Float64Array): void {
  const socket = createSocket({ type: 'udp4', recvBufferSize: 212_992 });
  const scanner = createTsScanner();
  let last = 0;
  socket.on('message', (data) => {
    for (let at = 0; at + packetSize <= data.length; at += packetSize) scanner.scan(data, at);
    const now = performance.now();
    if (last > 0) counts[counted.longestPauseMs] = Math.max(counts[counted.longestPauseMs] ?? 0, now - last);
    last = now;
    counts[counted.continuityErrors] = scanner.continuityErrors;
    counts[counted.packets] = (counts[counted.packets] ?? 0) + Math.floor(data.length / packetSize);
  });
  socket.bind(0, '127.0.0.1', () => {
    counts[counted.port] = socket.address().port;
  });
}
