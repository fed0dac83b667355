/** The life of a channel's input as a transition table; `input.ts` does what a new state requires. */

import type { ConnectionReason } from '../../media/protocol/reported.ts';
import type { Publisher } from './publisher.ts';

/** Why a publisher took the place of another one. */
export type Replacement = Extract<ConnectionReason, 'stalled' | 'replaced'>;

export type InputState =
  /** `end`: why the last publisher left, unless the input was switched off. */
  | { readonly is: 'off' | 'waiting'; readonly end?: ConnectionReason | undefined }
  /** Switched off, but its publisher has not left yet. */
  | { readonly is: 'closing'; readonly publisher: Publisher }
  | { readonly is: 'publishing'; readonly publisher: Publisher }
  /** Like `publishing`, but the replacement is reported for `seconds` more seconds of flow, so that the history has it. */
  | {
      readonly is: 'replacing';
      readonly publisher: Publisher;
      readonly reason: Replacement;
      readonly seconds: number;
    };

export type InputEvent =
  /** `flow`: bytes arrived within the last second. */
  | { readonly event: 'on' | 'off' | 'flow' }
  /** `replaces`: why the one before had to leave, which has ended already. */
  | { readonly event: 'begin'; readonly publisher: Publisher; readonly replaces?: Replacement | undefined }
  | { readonly event: 'end'; readonly publisher: Publisher; readonly reason: ConnectionReason };

export const off: InputState = { is: 'off' };

const replacementSeconds = 2;

/** Returns the same object if the event has no meaning in this state. */
export function nextState(state: InputState, event: InputEvent): InputState {
  switch (event.event) {
    case 'on':
      if (state.is === 'off') return { is: 'waiting', end: state.end };
      return state.is === 'closing' ? { is: 'publishing', publisher: state.publisher } : state;
    case 'off':
      if (state.is === 'waiting') return { is: 'off', end: state.end };
      return 'publisher' in state && state.is !== 'closing' ? { is: 'closing', publisher: state.publisher } : state;
    case 'begin':
      return state.is === 'waiting' ? publishing(event.publisher, event.replaces) : state;
    case 'end':
      if (publisherOf(state) !== event.publisher) return state;
      return { is: state.is === 'closing' ? 'off' : 'waiting', end: visibleEnd(event.reason) };
    case 'flow':
      if (state.is !== 'replacing') return state;
      if (state.seconds === 0) return { is: 'publishing', publisher: state.publisher };
      return { ...state, seconds: state.seconds - 1 };
  }
}

function publishing(publisher: Publisher, reason: Replacement | undefined): InputState {
  if (reason === undefined) return { is: 'publishing', publisher };
  return { is: 'replacing', publisher, reason, seconds: replacementSeconds };
}

/** That reason is outdated once the channel is enabled again: it simply waits. */
const visibleEnd = (reason: ConnectionReason) => (reason === 'switchedOff' ? undefined : reason);

export function publisherOf(state: InputState): Publisher | undefined {
  return 'publisher' in state ? state.publisher : undefined;
}
