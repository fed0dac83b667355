/**
 * Which input a channel with a backup shows, as a transition table; `failover.ts` does what a new state requires, and
 * `candidate.ts` judges each input.
 */
import type { FailoverRule } from '../../media/protocol/desired.ts';
import type { FailoverStatus, InputRole } from '../../media/protocol/reported.ts';

export type Live = Exclude<InputRole, 'slate'>;
export type SwitchReason = FailoverStatus['switchReason'];
/** Why an input is no longer used. */
export type Loss = Extract<SwitchReason, 'ended' | 'noData' | 'noVideo' | 'noAudio'>;

export const other = { main: 'backup', backup: 'main' } as const;

/** When an input last delivered something, in milliseconds. */
export interface Arrivals {
  any: number;
  video: number;
  audio: number;
  /** A random access point has arrived. */
  hasKeyframe: boolean;
}

/** Returns undefined while the input is good. Without a publisher, `seen` is undefined. */
export function lossOf(seen: Arrivals | undefined, rule: FailoverRule, now: number): Loss | undefined {
  const { 'no-data-ms': noDataMs, 'no-video-ms': noVideoMs, 'no-audio-ms': noAudioMs } = rule;
  if (!seen) return 'ended';
  if (now - seen.any > noDataMs || !seen.hasKeyframe) return 'noData';
  if (noVideoMs > 0 && now - seen.video > noVideoMs) return 'noVideo';
  return noAudioMs > 0 && now - seen.audio > noAudioMs ? 'noAudio' : undefined;
}

export interface OpenState {
  /** What is shown; `starting`: nothing yet. */
  readonly is: InputRole | 'starting';
  /** Why it is shown. */
  readonly reason: SwitchReason;
  /** Takes over with its next keyframe. */
  readonly next?: { readonly role: Live; readonly reason: SwitchReason } | undefined;
  /** An operator's choice, which waits for its input until then. */
  readonly request?: { readonly role: Live; readonly until: number } | undefined;
  readonly mainWasGood: boolean;
}
export type FailoverState = OpenState | { readonly is: 'closed'; readonly last: InputRole };

/** One input at the moment. */
export interface InputView {
  /** Undefined while it is good. */
  readonly loss: Loss | undefined;
  /** Can be shown immediately; otherwise from its next keyframe on. */
  readonly canJoin: boolean;
  /** Milliseconds since it became good. */
  readonly goodMs: number;
}
export interface View {
  readonly now: number;
  readonly rule: Pick<FailoverRule, 'back' | 'stable-s'>;
  readonly main: InputView;
  readonly backup: InputView;
  readonly slateIsReady: boolean;
  /** The main input may still come first. */
  readonly isHeadStart: boolean;
}

export type FailoverEvent =
  /** Something may have changed, or time has passed. */
  | { readonly event: 'look'; readonly view: View }
  /** A keyframe arrived. */
  | { readonly event: 'keyframe'; readonly role: Live }
  | { readonly event: 'request'; readonly role: Live; readonly until: number }
  | { readonly event: 'close' };

export const starting: FailoverState = { is: 'starting', reason: 'none', mainWasGood: false };

/** Returns the same object if nothing changes. */
export function nextState(state: FailoverState, event: FailoverEvent): FailoverState {
  if (state.is === 'closed') return state;
  switch (event.event) {
    case 'look':
      return look(settled(state, event.view), event.view);
    case 'keyframe':
      return state.next?.role === event.role ? shown(state, event.role, state.next.reason) : state;
    case 'request':
      return { ...state, request: { role: event.role, until: event.until } };
    case 'close':
      return { is: 'closed', last: roleOf(state) };
  }
}

/** Returns the role that is reported. */
export function roleOf(state: FailoverState): InputRole {
  if (state.is === 'closed') return state.last;
  return state.is === 'starting' ? 'main' : state.is;
}

function shown(state: OpenState, role: InputRole, reason: SwitchReason): OpenState {
  const { request, mainWasGood } = state;
  return { is: role, reason, mainWasGood, request: request?.role === role ? request : undefined };
}

const followedBy = (state: OpenState, role: Live, reason: SwitchReason): OpenState =>
  state.next ? state : { ...state, next: { role, reason } };

/** Drops what is outdated. */
function settled(state: OpenState, view: View): OpenState {
  const mainWasGood = state.mainWasGood || view.main.loss === undefined;
  const { next, request } = state;
  const isExpired = request && view.now > request.until && view[request.role].loss;
  const isLost = next && view[next.role].loss;
  if (mainWasGood === state.mainWasGood && !isExpired && !isLost) return state;
  return { ...state, mainWasGood, next: isLost ? undefined : next, request: isExpired ? undefined : request };
}

function look(state: OpenState, view: View): OpenState {
  if (state.is === 'starting' || state.is === 'slate') return lookForInput(state, state.is, view);
  const { loss } = view[state.is];
  if (loss === undefined) return reconsider(state, state.is, view);
  const role = other[state.is];
  const isGood = view[role].loss === undefined;
  if (isGood && view[role].canJoin) return shown(state, role, loss);
  if (view.slateIsReady) return shown(state, 'slate', loss);
  return isGood ? followedBy(state, role, loss) : state;
}

/** No input is shown. */
function lookForInput(state: OpenState, is: 'starting' | 'slate', view: View): OpenState {
  const mayStart = (role: Live) => !view[role].loss && (role === 'main' || state.mainWasGood || !view.isHeadStart);
  const role = (['main', 'backup'] as const).find(mayStart);
  if (is === 'slate') return role ? followedBy(state, role, 'stable') : state;
  if (role) return view[role].canJoin ? shown(state, role, 'none') : followedBy(state, role, 'none');
  return !view.isHeadStart && view.slateIsReady ? shown(state, 'slate', 'noData') : state;
}

/** Milliseconds until the main input takes over from the backup by itself, if both stay good; undefined if it won't. */
export function returnsInMs(state: FailoverState, { main, rule }: View): number | undefined {
  if (state.is !== 'backup' || rule.back !== 'stable' || main.loss || state.request?.role === 'backup')
    return undefined;
  return Math.max(0, rule['stable-s'] * 1000 - main.goodMs);
}

/** The shown input is good; the other one may be preferred all the same. */
function reconsider(state: OpenState, is: Live, view: View): OpenState {
  const role = other[is];
  const { request } = state;
  if (view[role].loss) return state;
  if (request?.role === role) {
    const isKnown = state.next?.role === role && state.next.reason === 'operator';
    return isKnown ? state : { ...state, next: { role, reason: 'operator' } };
  }
  return returnsInMs(state, view) === 0 ? followedBy(state, role, 'stable') : state;
}

/** Whether the backup of a cold standby must be received; undefined if that stays as it is. */
export function needsBackup(state: FailoverState, view: View, releaseMs: number): boolean | undefined {
  if (state.is === 'closed') return undefined;
  const mayNeed = state.mainWasGood || !view.isHeadStart;
  if (state.request?.role === 'backup' || state.is === 'backup' || (view.main.loss && mayNeed)) return true;
  return view.main.goodMs > releaseMs ? false : undefined;
}
