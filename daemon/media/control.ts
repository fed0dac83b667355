/** The engine's end of the socket to the hub: JSON lines, one hub at a time, the newest wins. */
import { unlinkSync } from 'node:fs';
import type { Socket, UnixSocketListener } from 'bun';
import type { Log } from '../lib/log.ts';
import type { EngineToHub, HubToEngine } from './protocol.ts';

/** 256 channels with 64 outputs each are about 6 MB of wanted state. */
const maxLineBytes = 16 << 20;
/** A hub that stops reading is cut off rather than queued for; it gets everything anew when it comes back. */
const maxPendingBytes = 4 << 20;

export interface ControlOptions {
  readonly path: string;
  readonly log: Log;
  readonly onMessage: (message: HubToEngine) => void;
  /** A hub connected: greet it. */
  readonly onOpen: () => void;
}

export interface Control {
  readonly isConnected: boolean;
  send(message: EngineToHub): void;
  close(): void;
}

interface Peer {
  chunks: Buffer[];
  size: number;
  pending: Buffer[];
  pendingBytes: number;
}

export function openControl({ path, log, onMessage, onOpen }: ControlOptions): Control {
  let hub: Socket<Peer> | undefined;
  try {
    unlinkSync(path);
  } catch {
    // Nothing was left behind.
  }

  function drop(socket: Socket<Peer>, reason: string): void {
    if (hub === socket) hub = undefined;
    log.warn('hub cut off', { reason });
    socket.end();
  }

  function read(socket: Socket<Peer>, bytes: Buffer): void {
    const peer = socket.data;
    let rest = bytes;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      const line = Buffer.concat([...peer.chunks, rest.subarray(0, end)]);
      peer.chunks = [];
      peer.size = 0;
      rest = rest.subarray(end + 1);
      handle(socket, line);
    }
    if (rest.length === 0) return;
    peer.chunks.push(Buffer.from(rest));
    peer.size += rest.length;
    if (peer.size > maxLineBytes) drop(socket, 'a line is too long');
  }

  function handle(socket: Socket<Peer>, line: Buffer): void {
    let message: HubToEngine | undefined;
    try {
      message = JSON.parse(line.toString('utf8')) as HubToEngine;
    } catch {
      drop(socket, 'a line is no JSON');
    }
    if (message) onMessage(message);
  }

  function flush(socket: Socket<Peer>): void {
    const peer = socket.data;
    while (peer.pending.length > 0) {
      const first = peer.pending[0] as Buffer;
      const written = socket.write(first);
      if (written < 0) return;
      peer.pendingBytes -= written;
      if (written < first.length) {
        peer.pending[0] = first.subarray(written);
        return;
      }
      peer.pending.shift();
    }
  }

  const listener: UnixSocketListener<Peer> = Bun.listen<Peer>({
    unix: path,
    socket: {
      binaryType: 'buffer',
      open(socket) {
        hub?.end();
        socket.data = { chunks: [], size: 0, pending: [], pendingBytes: 0 };
        hub = socket;
        log.info('hub connected');
        onOpen();
      },
      data: read,
      drain: flush,
      close(socket) {
        if (hub !== socket) return;
        hub = undefined;
        log.info('hub gone; streams go on');
      },
      error: () => undefined,
    },
  });

  return {
    get isConnected() {
      return hub !== undefined;
    },
    send(message) {
      if (!hub) return;
      const line = Buffer.from(`${JSON.stringify(message)}\n`);
      hub.data.pending.push(line);
      hub.data.pendingBytes += line.length;
      flush(hub);
      if (hub.data.pendingBytes > maxPendingBytes) drop(hub, 'it does not read');
    },
    close() {
      listener.stop(true);
      hub = undefined;
    },
  };
}
