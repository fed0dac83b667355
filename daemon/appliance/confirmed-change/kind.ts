import type { ChangeFailure } from '../../contract/network-states.ts';

/** The connection by which a change is confirmed. */
export interface Confirming {
  /** The certificate of the hub on it, in PEM; absent without TLS. */
  readonly certificate?: string;
}

/**
 * How one kind of change is made, kept and undone. `Data` is JSON: it is in the journal, and a hub that starts again
 * has nothing else. After a power cut, the system has what it stored last, which is what was before the change unless
 * `save` has started.
 */
export interface ChangeKind<Change = unknown, Data = unknown> {
  /**
   * Prepares what undoes the change by itself within this many seconds, if the system has such a mechanism. Nothing has
   * changed yet. Throws HubError if the change is not possible.
   */
  prepare(change: Change, seconds: number): Promise<Data>;
  /** Makes the change, without storing it. Throws ChangeFailed; the change is then undone. */
  apply(data: Data): Promise<void>;
  /** Whether a confirmation over this connection shows that the change works; if absent, any does. */
  proves?(data: Data, over: Confirming): Promise<boolean>;
  /** Ends the mechanism of `prepare`. False if it has already undone the change. */
  seal(data: Data): Promise<boolean>;
  /** Stores the change, which may have been lost with a restart. Called again until it succeeds. */
  save(data: Data): Promise<void>;
  /** Restores what was before, as far as it is not restored yet. Called again until it succeeds. */
  revert(data: Data): Promise<void>;
}

/** A change that cannot take effect. */
export class ChangeFailed extends Error {
  readonly failure: ChangeFailure;

  constructor(failure: ChangeFailure, message: string) {
    super(message);
    this.name = 'ChangeFailed';
    this.failure = failure;
  }
}
