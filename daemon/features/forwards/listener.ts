/** A port of the hub whose connections lead to a port of a device. */
import type { ForwardReason } from '../../contract/forward-states.ts';
import type { ByteStream } from '../../link/byte-stream.ts';
import type { StreamCode } from '../../link/codes.ts';
import { createSplice, joinSocket, over, type Splice, type SplicedSocket, spliceHandlers } from '../../link/splice.ts';

/** Bytes from the device and to it. */
export interface Traffic {
  readonly rx: number;
  readonly tx: number;
}

export interface ForwardListenerOptions {
  readonly address: string;
  /** 0: any free one. */
  readonly port: number;
  readonly maxConnections: number;
  /** Whether a new connection is let through; asked for each. */
  readonly admits: () => boolean;
  readonly open: () => ByteStream | StreamCode;
  readonly now: () => number;
  readonly onOpened: (peer: string) => void;
  readonly onClosed: (peer: string, traffic: Traffic) => void;
  /** A connection failed; undefined: one has reached the device. */
  readonly onReason: (reason: ForwardReason | undefined) => void;
}

interface Connection {
  readonly peer: string;
  /** Bytes that had passed at the last check, and when that number changed. */
  bytes: number;
  movedAt: number;
}

const reasonOf: Readonly<Record<StreamCode, ForwardReason | undefined>> = {
  cancelled: undefined,
  refused: 'portRefused',
  notPermitted: 'portNotAllowed',
  busy: 'tooBusy',
  timedOut: 'portTimeout',
  unknown: 'deviceOffline',
  offline: 'deviceOffline',
};

export type ForwardListener = ReturnType<typeof listenForward>;

/** Throws the error of the system if the port cannot be opened. */
export function listenForward(options: ForwardListenerOptions) {
  const { now, onReason } = options;
  const connections = new Map<Splice, Connection>();
  const ended = { rx: 0, tx: 0 };
  let total = 0;
  let isClosed = false;
  let usedAt = now();

  function open(socket: SplicedSocket): void {
    if (isClosed || !options.admits()) {
      socket.terminate();
      return;
    }
    total += 1;
    usedAt = now();
    const isFull = connections.size >= options.maxConnections;
    const stream = isFull ? undefined : options.open();
    if (stream === undefined || typeof stream === 'string') {
      onReason(stream === undefined ? 'tooManyConnections' : reasonOf[stream]);
      socket.terminate();
      return;
    }
    const splice = createSplice(stream);
    socket.data = splice;
    connections.set(splice, { peer: socket.remoteAddress, bytes: 0, movedAt: now() });
    options.onOpened(socket.remoteAddress);
    joinSocket(splice, socket);
  }

  function close(splice: Splice): void {
    const connection = connections.get(splice);
    if (connection === undefined) return;
    connections.delete(splice);
    usedAt = now();
    const { received: rx, sent: tx, fault } = splice;
    ended.rx += rx;
    ended.tx += tx;
    if (fault !== undefined && rx === 0) onReason(reasonOf[fault]);
    options.onClosed(connection.peer, { rx, tx });
  }

  const listener = Bun.listen<Splice | undefined>({
    ...{ hostname: options.address, port: options.port, allowHalfOpen: true },
    socket: {
      ...spliceHandlers,
      open,
      close(socket, fault) {
        spliceHandlers.close(socket, fault);
        if (socket.data !== undefined) close(socket.data);
      },
    },
  });

  return {
    port: listener.port,
    get connections() {
      return connections.size;
    },
    /** Connections since it was opened, also those that failed. */
    get total() {
      return total;
    },
    traffic(): Traffic {
      let { rx, tx } = ended;
      for (const { received, sent } of connections.keys()) {
        rx += received;
        tx += sent;
      }
      return { rx, tx };
    },
    /** Closes connections over which nothing has passed for this long. */
    closeIdle(idleMs: number): void {
      for (const [splice, connection] of connections) {
        const bytes = splice.received + splice.sent;
        if (bytes !== connection.bytes) {
          connection.bytes = bytes;
          connection.movedAt = now();
          if (splice.received > 0) onReason(undefined);
        } else if (now() - connection.movedAt >= idleMs) over(splice, 'cancelled');
      }
    },
    /** For how long it has had no connection. */
    unusedMs: (): number => (connections.size > 0 ? 0 : now() - usedAt),
    /** Closes the port and all connections at once. */
    close(): void {
      isClosed = true;
      listener.stop(true);
      // The event of each socket may come later: what it has carried counts now.
      for (const splice of [...connections.keys()]) {
        over(splice, 'cancelled');
        close(splice);
      }
    },
  };
}
