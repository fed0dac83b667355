/** Listeners of RTSP outputs: one per port, shared by the outputs on that port, which are distinguished by path. */

import type { Socket, TCPSocketListener } from 'bun';
import { plainAddress } from '../../lib/local-network.ts';
import type { Log } from '../../lib/log.ts';
import { timing } from '../../timing.ts';
import type { Callers } from '../net/callers.ts';
import type { KeyGuard } from '../net/key-guard.ts';
import { ListenerPlaces } from '../net/listener-places.ts';
import { peerName } from '../net/peer-name.ts';
import { RtspConnection } from './connection.ts';
import type { Mount } from './mount.ts';

interface SocketState {
  connection?: RtspConnection;
}

interface Listener {
  readonly tcp: TCPSocketListener<SocketState>;
  readonly mounts: Map<string, Mount>;
  readonly connections: ListenerPlaces<RtspConnection>;
}

const maxConnections = 512;
const now = performance.now.bind(performance);

export class PathTaken extends Error {
  override readonly name = 'PathTaken';
}

export interface RtspServerOptions {
  readonly log: Log;
  readonly boundKey: Callers['boundKey'];
  readonly keyGuard: KeyGuard;
}

export class RtspServer {
  private readonly log: Log;
  private readonly boundKey: Callers['boundKey'];
  private readonly keyGuard: KeyGuard;
  private readonly listeners = new Map<number, Listener>();

  constructor({ log, boundKey, keyGuard }: RtspServerOptions) {
    this.log = log;
    this.boundKey = boundKey;
    this.keyGuard = keyGuard;
  }

  /** Throws if the port is not available (error code EADDRINUSE, EACCES, ...), or PathTaken. */
  add(hostname: string, port: number, mount: Mount): void {
    const listener = this.listeners.get(port) ?? this.listen(hostname, port);
    if (listener.mounts.has(mount.path)) throw new PathTaken('another output has this port and path');
    listener.mounts.set(mount.path, mount);
  }

  remove(port: number, mount: Mount, reason: string): void {
    const listener = this.listeners.get(port);
    if (listener?.mounts.get(mount.path) !== mount) return;
    listener.mounts.delete(mount.path);
    mount.close(reason);
    if (listener.mounts.size > 0) return;
    this.listeners.delete(port);
    listener.tcp.stop(false);
    for (const connection of [...listener.connections]) connection.close(reason);
  }

  /** Called once per second. */
  tick(): void {
    for (const { connections } of this.listeners.values()) {
      connections.tick();
      for (const connection of [...connections]) connection.tick();
    }
  }

  private listen(hostname: string, port: number): Listener {
    const mounts = new Map<string, Mount>();
    const places = { max: maxConnections, boundKey: this.boundKey, now };
    const connections = new ListenerPlaces<RtspConnection>(places);
    const leave = ({ data: { connection } }: Socket<SocketState>) => {
      if (!connection) return;
      connections.delete(connection);
      connection.closed();
    };
    const tcp = Bun.listen<SocketState>({
      hostname,
      port,
      socket: {
        open: (socket) => this.accept(socket, { mounts, connections }),
        data: (socket, bytes) => socket.data.connection?.receive(bytes),
        drain: (socket) => socket.data.connection?.drain(),
        close: leave,
        error: leave,
      },
    });
    const listener = { tcp, mounts, connections };
    this.listeners.set(port, listener);
    return listener;
  }

  private accept(socket: Socket<SocketState>, { mounts, connections }: Omit<Listener, 'tcp'>): void {
    socket.data = {};
    const peer = peerName(socket);
    const address = plainAddress(socket.remoteAddress);
    const refused = connections.refuse(address);
    if (refused !== undefined) {
      this.log.warn('RTSP connection refused', { peer, reason: refused });
      socket.terminate();
      return;
    }
    socket.setNoDelay(true);
    socket.setKeepAlive(true, timing.tcp.keepAliveMs);
    const connection = new RtspConnection(socket, {
      local: plainAddress(socket.localAddress),
      remote: address,
      peer,
      find: (path) => mounts.get(path),
      keyWait: (opened) => this.keyGuard.attempt(address, opened && `${socket.localPort} ${opened}`, 'rtsp'),
      log: this.log,
      now,
    });
    socket.data.connection = connection;
    connections.add(address, connection);
  }
}
