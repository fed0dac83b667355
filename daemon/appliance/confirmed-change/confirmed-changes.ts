/**
 * Changes that could cut off the person who makes them. Each takes effect at once and is undone, unless it is confirmed
 * within its time with its token, from wherever the hub is reached then. Only one waits at a time. What undoes it does
 * not depend on one process: the kind of change has a mechanism of the system, a change is stored only when it is
 * confirmed, and the journal lets this or the next run of the hub finish what was started.
 */
import type { ConfirmedKind } from '../../contract/network-states.ts';
import { createEmitter } from '../../lib/emitter.ts';
import { HubError } from '../../lib/hub-error.ts';
import type { Log } from '../../lib/log.ts';
import { timing } from '../../timing.ts';
import type { BootClock } from './boot-clock.ts';
import type { Journal, JournalEntry } from './journal.ts';
import { ChangeFailed, type ChangeKind, type Confirming } from './kind.ts';
import { answerTo, hashOfToken, isSameHash, newToken } from './token.ts';

export interface Author {
  readonly user: string;
  /** Null for a change that the hub makes by itself. */
  readonly userId: number | null;
}

/** How a change ended. */
export interface Ended extends Author, Pick<JournalEntry, 'kind' | 'failure'> {
  readonly outcome: NonNullable<JournalEntry['outcome']>;
}

interface Options {
  readonly journal: Journal;
  readonly clock: BootClock;
  /** The code of a kind is loaded with its first change. */
  readonly kinds: Readonly<Partial<Record<ConfirmedKind, () => Promise<ChangeKind>>>>;
  readonly onEnd: (ended: Ended) => void;
  readonly log: Log;
}

interface NewChange extends Author {
  readonly kind: ConfirmedKind;
  readonly change: unknown;
  /** Seconds in which it must be confirmed; 0: it is final once it has taken effect. */
  readonly seconds: number;
}

/** A change of another mechanism that waits to be confirmed. */
interface Claim {
  readonly kind: ConfirmedKind;
  readonly user: string;
  readonly seconds: number;
  /** Whether it takes effect without a confirmation: other changes are refused, but it is not shown as waiting. */
  readonly isFinal?: boolean;
}

export interface Waiting {
  readonly kind: ConfirmedKind;
  readonly user: string;
  /** Seconds that are left. */
  readonly seconds: number;
  /** Whether it is in effect. */
  readonly applied: boolean;
}

/** Who confirms a change: who has its token, or its author, who is signed in. */
export type Proof = { readonly token: string } | { readonly userId: number };

/** A final change has this long to take effect, however short the seconds of tests are. */
const finalMs = 60_000;

export type ConfirmedChanges = ReturnType<typeof createConfirmedChanges>;

export function createConfirmedChanges({ journal, clock, kinds, onEnd, log }: Options) {
  const { applyAfterMs, checkMs, graceMs, secondMs, retryMs } = timing.confirmedChange;
  const changes = createEmitter();
  let entry: JournalEntry | undefined;
  /** Whether `entry` is taking effect; one that an earlier run of the hub left has, or never will. */
  let isTaken = true;
  /** A change that is being prepared, or waits in another mechanism. */
  let claim: (Claim & { readonly until: number; readonly isPrepared: boolean }) | undefined;
  /** The step that is at work: one ends before the next begins. */
  let working: Promise<unknown> = Promise.resolve();
  let timer: Timer | undefined;
  /** The reason of the last failure of a step that is tried again, and the number of its failures. */
  let complaint = '';
  let failures = 0;
  let isClosed = false;

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = working.then(work);
    working = turn.catch(() => {});
    return turn;
  };
  const kindOf = async (kind: ConfirmedKind): Promise<ChangeKind> => {
    const load = kinds[kind];
    if (load === undefined) throw new Error(`unknown kind of change: ${kind}`);
    return load();
  };
  const write = (next: JournalEntry | undefined): void => {
    journal.write(next);
    entry = next;
    changes.emit();
  };
  const secondsLeft = (deadline: number) => Math.max(0, Math.ceil(((deadline - clock.seconds()) * 1000) / secondMs));
  const deadlineIn = (seconds: number) => clock.seconds() + (seconds * secondMs) / 1000;

  const waiting = (): Waiting | undefined => {
    if (entry !== undefined) {
      const { kind, user, deadline, isApplied } = entry;
      return { kind, user, seconds: secondsLeft(deadline), applied: isApplied };
    }
    if (claim === undefined || claim.isFinal) return undefined;
    return { kind: claim.kind, user: claim.user, seconds: secondsLeft(claim.until), applied: !claim.isPrepared };
  };
  const refuseSecond = (): void => {
    const other = entry ?? claim;
    if (other === undefined) return;
    const { user } = other;
    const seconds = secondsLeft('until' in other ? other.until : other.deadline);
    const message = `a change by ${user} waits to be confirmed for ${seconds} s`;
    throw new HubError('stateChanged', message, { params: { user, seconds } });
  };

  /** Compares with the clock, and tries again what failed, until nothing is left to do. */
  const check = (): void => {
    clearTimeout(timer);
    if (isClosed || entry === undefined) return;
    timer = setTimeout(
      () =>
        void inTurn(finish)
          .catch(() => {})
          .finally(check),
      Math.min(checkMs * 2 ** failures, retryMs),
    );
    timer.unref();
  };
  const finish = async (): Promise<void> => {
    if (entry?.phase === 'confirmed') await store(entry);
    else if (entry?.phase === 'undoing') await undo(entry);
    else if (entry && clock.seconds() >= entry.deadline + graceMs / 1000)
      await beginUndo(entry, { outcome: 'expired' });
  };
  /** Logs each reason once, because the step is tried again. */
  const complain = (what: string, { kind }: JournalEntry, error: unknown): void => {
    failures++;
    const reason = String(error);
    if (reason !== complaint) log.warn(what, { kind, reason });
    complaint = reason;
  };
  const store = async (from: JournalEntry): Promise<void> => {
    try {
      await (await kindOf(from.kind)).save(from.data);
    } catch (error) {
      complain('a confirmed change cannot be stored yet', from, error);
      throw error;
    }
    end(from, { outcome: 'confirmed' });
  };
  const beginUndo = (from: JournalEntry, why: Pick<Ended, 'outcome' | 'failure'>): Promise<void> => {
    log.warn('a change is undone', { kind: from.kind, because: why.failure ?? why.outcome });
    const next = { ...from, ...why, phase: 'undoing' as const };
    write(next);
    return undo(next);
  };
  const undo = async (from: JournalEntry): Promise<void> => {
    try {
      await (await kindOf(from.kind)).revert(from.data);
    } catch (error) {
      complain('a change cannot be undone yet', from, error);
      throw error;
    }
    end(from, { outcome: from.outcome ?? 'expired', failure: from.failure });
  };
  const end = (
    { kind, user, userId }: JournalEntry,
    { outcome, failure }: { outcome: Ended['outcome']; failure?: Ended['failure'] | undefined },
  ): void => {
    const ended = { kind, user, userId, outcome, ...(failure && { failure }) };
    // Recorded first: if the hub is killed in between, it is recorded twice rather than never.
    onEnd(ended);
    log.info('a change has ended', { kind, outcome });
    [failures, complaint] = [0, ''];
    write(undefined);
  };
  const confirmed = async (from: JournalEntry): Promise<void> => {
    const kind = await kindOf(from.kind);
    if (!(await kind.seal(from.data))) {
      await beginUndo(from, { outcome: 'expired' }).catch(() => {});
      throw tooLate();
    }
    const next = { ...from, phase: 'confirmed' as const };
    write(next);
    // From here on it is kept: what cannot be stored now is stored later.
    await store(next).catch(() => {});
  };
  const take = async (from: JournalEntry, isFinal: boolean): Promise<void> => {
    if (entry !== from) return;
    isTaken = true;
    const applied = { ...from, isApplied: true };
    try {
      await (await kindOf(from.kind)).apply(from.data);
      write(applied);
      if (isFinal) await confirmed(applied);
    } catch (error) {
      if (entry !== from && entry !== applied) return;
      const failure = error instanceof ChangeFailed ? error.failure : 'other';
      log.warn('a change cannot take effect', { kind: from.kind, reason: String(error) });
      await beginUndo(from, { outcome: 'failed', failure });
    }
  };

  return {
    /**
     * Prepares a change; it takes effect once the answer has left. Returns its token, or '' for a final one. Throws
     * `stateChanged` with `user` and `seconds` while another one waits.
     */
    async begin({ kind, change, user, userId, seconds }: NewChange): Promise<string> {
      refuseSecond();
      const isFinal = seconds === 0;
      const limitMs = isFinal ? finalMs : seconds * secondMs;
      const deadline = () => clock.seconds() + limitMs / 1000;
      claim = { kind, user, seconds, until: deadline(), isPrepared: true };
      try {
        const data = await (await kindOf(kind)).prepare(change, Math.ceil(limitMs / 1000));
        const token = isFinal ? '' : newToken();
        const tokenHash = token === '' ? '' : hashOfToken(token);
        const times = { deadline: deadline(), bootId: clock.bootId() };
        isTaken = false;
        write({ kind, user, userId, tokenHash, ...times, phase: 'waiting', isApplied: false, data });
        const started = entry;
        setTimeout(() => void inTurn(() => take(started as JournalEntry, isFinal)).catch(() => {}), applyAfterMs);
        check();
        return token;
      } finally {
        claim = undefined;
      }
    },
    /**
     * Keeps the change. Throws `mismatch` for a wrong token or another user, `tryAgain` before it is in effect, when
     * nothing proves yet that the hub can still be reached, and `wrongState` if no change waits or this one has been
     * undone.
     */
    confirm(proof: Proof, over: Confirming = {}): Promise<Author & Pick<JournalEntry, 'kind'>> {
      const asked = 'token' in proof ? hashOfToken(proof.token) : undefined;
      const isRight = () => {
        if (entry?.phase !== 'waiting' || entry.tokenHash === '') return false;
        return 'userId' in proof ? entry.userId === proof.userId : isSameHash(asked ?? '', entry.tokenHash);
      };
      if (entry?.phase !== 'waiting') return Promise.reject(tooLate());
      if (!isRight())
        return Promise.reject(new HubError('mismatch', 'this is not the token or the author of the change'));
      // One that is taking effect is waited for.
      if (!isTaken) return Promise.reject(tooEarly());
      return inTurn(async () => {
        const from = entry;
        // It may have failed, or its time may have ended, while this waited for its turn.
        if (from === undefined || !isRight()) throw tooLate();
        if (!from.isApplied) throw tooEarly();
        if ((await (await kindOf(from.kind)).proves?.(from.data, over)) === false) throw tooEarly();
        await confirmed(from);
        return { kind: from.kind, user: from.user, userId: from.userId };
      });
    },
    /**
     * Proves to a caller who has the token of the change that the hub has the address, before the caller sends the token
     * there. Throws `wrongState` if no change waits.
     */
    async answer(challenge: string, findAddress: () => Promise<string>) {
      const from = entry;
      if (from?.phase !== 'waiting' || from.tokenHash === '') throw tooLate();
      const address = await findAddress();
      return { kind: from.kind, address, answer: answerTo(from.tokenHash, challenge, address) };
    },
    /** Undoes the change now. Throws `wrongState` if none waits. */
    cancel(): Promise<void> {
      return inTurn(async () => {
        if (entry?.phase !== 'waiting') throw new HubError('wrongState', 'no change waits to be confirmed');
        await beginUndo(entry, { outcome: 'canceled' });
      });
    },
    /** For another mechanism whose changes wait to be confirmed. Throws as `begin` does; the returned function ends it. */
    claim(by: Claim): () => void {
      refuseSecond();
      const own = { ...by, until: deadlineIn(by.seconds), isPrepared: false };
      claim = own;
      changes.emit();
      return () => {
        if (claim !== own) return;
        claim = undefined;
        changes.emit();
      };
    },
    waiting,
    /** Calls the listener when a change begins to wait or ends. */
    onChange: changes.on,
    /** Finishes what the run of the hub before left. */
    resume(): void {
      const left = journal.read();
      if (left === undefined) return;
      entry = left;
      log.info('a change was not finished when the hub ended', { kind: left.kind, phase: left.phase });
      const isSameBoot = left.bootId === clock.bootId();
      if (left.phase === 'waiting' && !isSameBoot) {
        void inTurn(() => beginUndo(left, { outcome: 'interrupted' })).catch(() => {});
      }
      check();
    },
    close(): void {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

function tooLate(): HubError {
  return new HubError('wrongState', 'no change waits to be confirmed: it is confirmed already, or undone');
}

function tooEarly(): HubError {
  return new HubError('tryAgain', 'the change is not in effect yet');
}
