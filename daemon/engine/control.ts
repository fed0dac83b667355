/** The engine's end of the socket to the hub: JSON lines, one hub at a time; a new hub replaces the old one. */
import { unlinkSync } from 'node:fs';
import type { Socket, UnixSocketListener } from 'bun';
import { createJsonLineReader } from '../lib/json-lines.ts';
import type { Log } from '../lib/log.ts';
import type { EngineToHub, HubToEngine } from '../media/protocol/messages.ts';

/** 256 channels with 64 outputs each are about 6 MB of desired state. */
const maxLineBytes = 16 << 20;
/**
 * A hub that stops reading is disconnected instead of being queued for; on reconnecting it gets the full state. One
 * report of thousands of players takes several megabytes and must stay within the limit.
 */
const maxPendingBytes = 2 * maxLineBytes;

interface ControlOptions {
  readonly path: string;
  readonly log: Log;
  readonly onMessage: (message: HubToEngine) => void;
  /** A hub has connected: greet it. */
  readonly onOpen: () => void;
}

export type Control = ReturnType<typeof openControl>;

interface Peer {
  read(chunk: Uint8Array): void;
  pending: Buffer[];
  pendingBytes: number;
}

export function openControl({ path, log, onMessage, onOpen }: ControlOptions) {
  let hub: Socket<Peer> | undefined;
  try {
    unlinkSync(path);
  } catch {
    // No socket was left behind.
  }

  function drop(socket: Socket<Peer>, reason: string): void {
    if (hub === socket) hub = undefined;
    log.warn('hub cut off', { reason });
    socket.end();
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
        const read = createJsonLineReader({
          maxBytes: maxLineBytes,
          onValue: (value) => onMessage(value as HubToEngine),
          onFault: (reason) => drop(socket, reason),
        });
        socket.data = { read, pending: [], pendingBytes: 0 };
        hub = socket;
        log.info('hub connected');
        onOpen();
      },
      data: (socket, bytes) => socket.data.read(bytes),
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
    get isConnected(): boolean {
      return hub !== undefined;
    },
    send(message: EngineToHub): void {
      if (!hub) return;
      const line = Buffer.from(`${JSON.stringify(message)}\n`);
      hub.data.pending.push(line);
      hub.data.pendingBytes += line.length;
      flush(hub);
      if (hub.data.pendingBytes > maxPendingBytes) drop(hub, 'it does not read');
    },
    close(): void {
      listener.stop(true);
      hub = undefined;
    },
  };
}
