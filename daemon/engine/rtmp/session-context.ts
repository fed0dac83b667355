/** Parameters of a session. */

import { timing } from '../../timing.ts';
import type { WritableSocket } from '../net/socket-writer.ts';
import type { RtmpServerHooks } from './hooks.ts';

/** The part of Bun's socket that a session uses. */
export interface SessionSocket extends WritableSocket {
  /** Orderly close: data in the kernel is still sent. */
  end(): void;
  /** Reset. */
  terminate(): void;
}

export interface SessionLimits {
  /** The application name clients must use. */
  readonly app: string;
  readonly handshakeMs: number;
  /** From the handshake to publish or play. */
  readonly idleMs: number;
  /** A publisher that sends nothing for this long is considered gone, unless the engine ended it before. */
  readonly publisherIdleMs: number;
  /** A peer that accepts nothing for this long although bytes are waiting is considered gone. */
  readonly stallMs: number;
  /** How long a refused client has to read the reason. */
  readonly lingerMs: number;
}

export const defaultSessionLimits: SessionLimits = {
  app: 'live',
  ...timing.rtmpServer,
};

export interface SessionContext {
  readonly connectionId: number;
  readonly peer: string;
  readonly hooks: RtmpServerHooks;
  readonly limits: SessionLimits;
  readonly now: () => number;
}
