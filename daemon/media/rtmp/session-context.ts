/** What a session is given. */

import { timing } from '../../timing.ts';
import type { WritableSocket } from '../outlet.ts';
import type { RtmpServerHooks } from './hooks.ts';

/** The part of Bun's socket that a session needs. */
export interface SessionSocket extends WritableSocket {
  /** Orderly close: what the kernel holds is still sent. */
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
  /** A publisher that sends nothing for this long is gone, if the engine didn't say so before. */
  readonly publisherIdleMs: number;
  /** A peer that takes nothing for this long although bytes wait is gone. */
  readonly stallMs: number;
  /** How long a refused client may take to read why. */
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
