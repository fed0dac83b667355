/**
 * The hub's end: unix sockets, each of which leads to one port of one device, so that `fetch` and WebSocket of this
 * process can use a device like a local service.
 */
import { createHash } from 'node:crypto';
import { chmodSync, rmSync } from 'node:fs';
import type { UnixSocketListener } from 'bun';
import type { StreamCode } from './codes.ts';
import type { LinkStream } from './link-stream.ts';
import { createSplice, joinSocket, type Splice, type SplicedSocket, spliceHandlers } from './splice.ts';

interface BridgeOptions {
  /** Path of a socket for this name, in a folder that only this user can enter. */
  readonly pathOf: (name: string) => string;
  /** Opens the stream for a new connection. */
  readonly open: (serial: string, port: number) => LinkStream | StreamCode;
  /** A socket without connections is closed after this time. */
  readonly idleMs: number;
}

interface Target {
  readonly serial: string;
  readonly port: number;
}

interface Bridge {
  readonly path: string;
  readonly listener: UnixSocketListener<Splice | undefined>;
  connections: number;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** A hub asks for few ports of each device; more are a fault of the caller. */
const maxBridges = 10_000;

export function createSocketBridges({ pathOf, open, idleMs }: BridgeOptions) {
  const bridges = new Map<string, Bridge>();

  function closeBridge(name: string): void {
    const bridge = bridges.get(name);
    if (bridge === undefined) return;
    bridges.delete(name);
    clearTimeout(bridge.timer);
    bridge.listener.stop(true);
    rmSync(bridge.path, { force: true });
  }

  function idle(name: string, bridge: Bridge): void {
    clearTimeout(bridge.timer);
    bridge.timer = bridge.connections > 0 ? undefined : setTimeout(() => closeBridge(name), idleMs);
    bridge.timer?.unref();
  }

  /** Each connection becomes a stream. `count` gets 1 when one begins and -1 when it ends. */
  function handlersTo({ serial, port }: Target, count: (change: number) => void) {
    return {
      ...spliceHandlers,
      open(socket: SplicedSocket) {
        const stream = open(serial, port);
        if (typeof stream === 'string') {
          socket.terminate();
          return;
        }
        count(1);
        socket.data = createSplice(stream);
        joinSocket(socket.data, socket);
      },
      close(socket: SplicedSocket, fault?: Error) {
        if (socket.data === undefined) return;
        count(-1);
        spliceHandlers.close(socket, fault);
      },
    };
  }

  function listen(name: string, serial: string, port: number): Bridge {
    if (bridges.size >= maxBridges) throw new Error(`more than ${maxBridges} ports of devices are in use`);
    const path = pathOf(name);
    // Left behind by a killed process.
    rmSync(path, { force: true });
    const socket = handlersTo({ serial, port }, (change) => {
      bridge.connections += change;
      idle(name, bridge);
    });
    const listener = Bun.listen<Splice | undefined>({ unix: path, allowHalfOpen: true, socket });
    chmodSync(path, 0o600);
    const bridge: Bridge = { path, listener, connections: 0, timer: undefined };
    bridges.set(name, bridge);
    return bridge;
  }

  return {
    /** Path of the socket to this port. It exists for at least `idleMs` after this call. */
    pathTo(serial: string, port: number): string {
      // A path has at most 108 bytes.
      const name = `link-${createHash('sha256').update(`${port} ${serial}`).digest('hex').slice(0, 32)}`;
      const bridge = bridges.get(name) ?? listen(name, serial, port);
      idle(name, bridge);
      return bridge.path;
    },
    close(): void {
      for (const name of [...bridges.keys()]) closeBridge(name);
    },
    get size() {
      return bridges.size;
    },
  };
}
