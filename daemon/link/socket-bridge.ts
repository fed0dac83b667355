/**
 * The hub's end: unix sockets, each of which leads to one port of one device, so that `fetch` and WebSocket of this
 * process can use a device like a local service.
 */
import { createHash } from 'node:crypto';
import { chmodSync, rmSync } from 'node:fs';
import type { UnixSocketListener } from 'bun';
import type { StreamCode } from './codes.ts';
import type { LinkStream, Priority } from './link-stream.ts';
import { createSplice, joinSocket, type Splice, type SplicedSocket, spliceHandlers } from './splice.ts';

interface BridgeOptions {
  /** Path of a socket for this name, in a folder that only this user can enter. */
  readonly pathOf: (name: string) => string;
  /** Opens the stream for a new connection. */
  readonly open: (serial: string, port: number, priority: Priority) => LinkStream | StreamCode;
  /** A socket without connections is closed after this time. */
  readonly idleMs: number;
}

interface Target {
  readonly serial: string;
  readonly port: number;
  readonly priority: Priority;
}

interface Bridge {
  readonly path: string;
  readonly listener: UnixSocketListener<Splice | undefined>;
  connections: number;
  timer: ReturnType<typeof setTimeout> | undefined;
}

export interface ListenAddress {
  readonly hostname: string;
  /** 0 takes any free port. */
  readonly port: number;
}

/** A listener of the hub whose connections lead to a port of a device. */
export interface Forward {
  readonly port: number;
  connections(): number;
  stop(): void;
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
  function handlersTo({ serial, port, priority }: Target, count: (change: number) => void) {
    return {
      ...spliceHandlers,
      open(socket: SplicedSocket) {
        const stream = open(serial, port, priority);
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
    const socket = handlersTo({ serial, port, priority: 'interactive' }, (change) => {
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
    /** Listens on a TCP port until it is stopped. Throws if the port is in use. */
    forward(serial: string, port: number, at: ListenAddress): Forward {
      let connections = 0;
      const socket = handlersTo({ serial, port, priority: 'bulk' }, (change) => {
        connections += change;
      });
      const listener = Bun.listen<Splice | undefined>({ ...at, allowHalfOpen: true, socket });
      return { port: listener.port, connections: () => connections, stop: () => listener.stop(true) };
    },
    close(): void {
      for (const name of [...bridges.keys()]) closeBridge(name);
    },
    get size() {
      return bridges.size;
    },
  };
}
