/** Follows a change on trial from the page that made it until its end is known. */
import type { ChangeFailure, ChangeOutcome } from '../../../../daemon/contract/network-states.ts';
import { staysHere, type Trial } from './trial.ts';

/** What the hub says about the change, at the address of this page. */
export type Said =
  /** It is not in effect yet. */
  | { readonly state: 'applying' }
  /** It is in effect and waits to be confirmed. */
  | { readonly state: 'waiting' }
  | { readonly state: 'ended'; readonly outcome: ChangeOutcome; readonly failure?: ChangeFailure | undefined };

export type TrialView =
  /** `answers`: whether the hub answers at the address of this page; undefined: not known yet. */
  | { readonly phase: 'trying'; readonly answers: boolean | undefined }
  /** The time is over, and the hub answers at no address that this page can reach. */
  | { readonly phase: 'lost' }
  | { readonly phase: 'ended'; readonly outcome: ChangeOutcome; readonly failure?: ChangeFailure | undefined };

interface TrialWatchOptions {
  readonly trial: Trial;
  /** Of this page. */
  readonly origin: string;
  readonly now: () => number;
  /** Undefined if the hub does not answer. */
  readonly ask: () => Promise<Said | undefined>;
  /** May reject: the next answer to `ask` then says more. */
  readonly confirm: () => Promise<unknown>;
  readonly onView: (view: TrialView) => void;
}

/** Time in which the hub returns to the previous settings, and the browser finds it there. */
export const returnMs = 8000;

/** Returns a function that asks once. It is to be called again until the phase is `ended`. */
export function createTrialWatch({ trial, origin, now, ask, confirm, onView }: TrialWatchOptions): () => Promise<void> {
  const isHere = staysHere(trial, origin);
  return async function look() {
    const said = await ask();
    if (said === undefined) {
      onView(now() < trial.endsAt + returnMs ? { phase: 'trying', answers: false } : { phase: 'lost' });
    } else if (said.state === 'ended') {
      const { state: _, ...ending } = said;
      onView({ phase: 'ended', ...ending });
    } else {
      // The answer came from an address at which the console is reached with the change in effect.
      if (said.state === 'waiting' && isHere) await confirm().catch(() => undefined);
      onView({ phase: 'trying', answers: true });
    }
  };
}
