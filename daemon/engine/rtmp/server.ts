/** The RTMP listener: accepts connections up to a limit and creates a session for each. */

import { descriptorOf } from '../../ipc/send-descriptor.ts';
import type { Callers } from '../net/callers.ts';
import { ListenerPlaces, listenWithPlaces } from '../net/listener-places.ts';
import { setReceiveMark } from '../net/receive-mark.ts';
import { defaultSessionLimits, type RtmpServerHooks, type SessionLimits } from './hooks.ts';
import type { Relay } from './relay.ts';
import { RtmpSession } from './session.ts';

interface RtmpServerOptions {
  readonly hostname: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly hooks: RtmpServerHooks;
  readonly limits?: Partial<SessionLimits>;
  readonly maxConnections?: number;
  /** Undefined without an RTMP endpoint. */
  readonly relay?: Relay;
  /** Key that connections are counted by; undefined if they are not limited (callers.ts). */
  readonly boundKey: Callers['boundKey'];
}

const defaultMaxConnections = 512;

export class RtmpServer {
  private readonly options: RtmpServerOptions;
  private readonly limits: SessionLimits;
  private readonly now = performance.now.bind(performance);
  private readonly sessions: ListenerPlaces<RtmpSession>;
  private listener: ReturnType<RtmpServer['listen']> | undefined;
  private nextId = 1;

  constructor(options: RtmpServerOptions) {
    this.options = options;
    this.limits = { ...defaultSessionLimits, ...options.limits };
    const { boundKey, maxConnections: max = defaultMaxConnections } = options;
    this.sessions = new ListenerPlaces({ max, boundKey, now: this.now });
  }

  get port(): number {
    return this.listener?.port ?? 0;
  }

  get connections(): number {
    return this.sessions.size;
  }

  /** Throws if the port is not available (error code EADDRINUSE, EACCES, ...). */
  start(): void {
    this.listener = this.listen(this.options.hostname, this.options.port);
  }

  /** Moves to another address; connections stay. Throws if it is not available; then the old one stays in use. */
  rebind(hostname: string, port: number): void {
    const next = this.listen(hostname, port);
    this.listener?.stop(false);
    this.listener = next;
  }

  close(reason: string): void {
    this.listener?.stop(false);
    this.listener = undefined;
    for (const session of this.sessions) session.close(reason);
    this.sessions.clear();
  }

  /** Called once per second. */
  tick(): void {
    this.sessions.tick();
    for (const session of this.sessions) session.tick();
  }

  private listen(hostname: string, port: number) {
    const { hooks, relay } = this.options;
    const { limits, now } = this;
    return listenWithPlaces({ hostname, port }, this.sessions, {
      open: ({ socket, peer }) =>
        new RtmpSession(socket, {
          ...{ connectionId: this.nextId++, peer, hooks, limits, now, relay },
          setReceiveMark: (bytes) => setReceiveMark(socket, bytes),
          movable: {
            descriptor: () => descriptorOf(socket),
            pause: () => socket.pause(),
            resume: () => socket.resume(),
          },
        }),
      refused: (peer, reason) => hooks.log('warn', 'RTMP connection refused', { peer, reason }),
    });
  }
}
