/** The listening side of a socket to the hub: JSON lines, one hub at a time; a new hub replaces the old one. */
import { unlinkSync } from 'node:fs';
import type { Socket, UnixSocketListener } from 'bun';
import type { Log } from '../lib/log.ts';
import { createJsonLineReader } from './json-lines.ts';
import { type Incoming, type LinkMessages, maxLineBytes, type Outgoing } from './message-link.ts';

/**
 * A hub that stops reading is disconnected instead of being queued for; on reconnecting it gets the full state. One
 * report of thousands of players takes several megabytes and must stay within the limit.
 */
const maxPendingBytes = 2 * maxLineBytes;

interface ServerOptions<Messages extends LinkMessages> {
  readonly path: string;
  readonly log: Log;
  readonly onMessage: (message: Outgoing<Messages>) => void;
  /** A hub has connected: greet it. */
  readonly onOpen: () => void;
}

interface Peer {
  read(chunk: Uint8Array): void;
  pending: Buffer[];
  pendingBytes: number;
}

export function openMessageServer<Messages extends LinkMessages>({
  path,
  log,
  onMessage,
  onOpen,
}: ServerOptions<Messages>) {
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
          onValue: (value) => onMessage(value as Outgoing<Messages>),
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
    send(message: Incoming<Messages>): void {
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
