/** The life of a connection as a transition table; `connection.ts` does what a new state requires. */

import { connectionStates } from '../../contract/streams.ts';
import type { ConnectionReason } from '../../media/protocol/reported.ts';

export interface Termination {
  /** A connection state of the contract. */
  readonly conn: number;
  readonly reason: ConnectionReason;
  /** The cause will not go away by itself: wait longer. */
  readonly permanent: boolean;
  /** For the log; contains no secrets. */
  readonly text: string;
}

export type ConnectionState =
  | { readonly is: 'off' }
  /** `end`: of the attempt before; it stays visible until this attempt has an outcome. */
  | { readonly is: 'connecting'; readonly end?: Termination | undefined }
  | { readonly is: 'connected' }
  /** Waits before the next attempt. */
  | { readonly is: 'waiting'; readonly end: Termination }
  | { readonly is: 'closed' };

export type ConnectionEvent =
  | { readonly event: 'on' | 'off' | 'connected' | 'retry' | 'close' }
  | { readonly event: 'ended'; readonly end: Termination };

export const off: ConnectionState = { is: 'off' };

/** Returns the same object if the event has no meaning in this state. */
export function nextState(state: ConnectionState, event: ConnectionEvent): ConnectionState {
  if (state.is === 'closed') return state;
  switch (event.event) {
    case 'on':
      return state.is === 'off' ? { is: 'connecting' } : state;
    case 'off':
      return state.is === 'off' ? state : off;
    case 'connected':
      return state.is === 'connecting' ? { is: 'connected' } : state;
    case 'ended':
      return state.is === 'connecting' || state.is === 'connected' ? { is: 'waiting', end: event.end } : state;
    case 'retry':
      return state.is === 'waiting' ? { is: 'connecting', end: state.end } : state;
    case 'close':
      return { is: 'closed' };
  }
}

/** Returns the connection state of the contract. */
export function connOf(state: ConnectionState): number {
  if (state.is === 'waiting') return state.end.conn;
  if (state.is === 'connecting') return connectionStates.connecting;
  return state.is === 'connected' ? connectionStates.connected : connectionStates.waiting;
}

/** Returns why the last attempt ended, unless a later one is connected. */
export function endOf(state: ConnectionState): Termination | undefined {
  return 'end' in state ? state.end : undefined;
}
