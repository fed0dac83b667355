/** Listeners of RTSP outputs: one per port, shared by the outputs on that port, which are distinguished by path. */

import type { Log } from '../../lib/log.ts';
import type { Callers } from '../net/callers.ts';
import type { KeyGuard } from '../net/key-guard.ts';
import { ListenerPlaces, listenWithPlaces } from '../net/listener-places.ts';
import { RtspConnection } from './connection.ts';
import type { Mount } from './mount.ts';

interface Listener {
  stop(): void;
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
  private readonly options: RtspServerOptions;
  private readonly listeners = new Map<number, Listener>();

  constructor(options: RtspServerOptions) {
    this.options = options;
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
    listener.stop();
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
    const { log, boundKey, keyGuard } = this.options;
    const mounts = new Map<string, Mount>();
    const connections = new ListenerPlaces<RtspConnection>({ max: maxConnections, boundKey, now });
    const tcp = listenWithPlaces({ hostname, port }, connections, {
      open: ({ socket, local, address, peer }) =>
        new RtspConnection(socket, {
          ...{ local, remote: address, peer, log, now },
          find: (path) => mounts.get(path),
          keyWait: (opened) => keyGuard.attempt(address, opened && `${socket.localPort} ${opened}`, 'rtsp'),
        }),
      refused: (peer, reason) => log.warn('RTSP connection refused', { peer, reason }),
    });
    const listener = { stop: () => tcp.stop(false), mounts, connections };
    this.listeners.set(port, listener);
    return listener;
  }
}
