/**
 * Delivers the events of alarms to one target. They are stored until the target accepts them, and sent in order. A target
 * that does not accept them is tried again, more and more slowly, and never blocks the hub.
 */
import type { DeliveryState } from '../../contract/alarms.ts';
import { HubError } from '../../lib/hub-error.ts';
import type { Log } from '../../lib/log.ts';
import type { Database, Queries } from '../../store/database.ts';
import {
  type Attempt,
  countDeliveries,
  type DeliveryRow,
  deleteDeliveries,
  deleteOldestDeliveries,
  insertDelivery,
  listDeliveries,
  readTarget,
  type TargetName,
  writeTarget,
} from './delivery-store.ts';

interface DeliveryOptions<A extends Attempt> {
  readonly db: Database;
  readonly log: Log;
  readonly now: () => number;
  readonly name: TargetName;
  /** Capacity of the queue. */
  readonly room: number;
  /** Most events that are sent at once. */
  readonly atOnce: number;
  readonly times: {
    /** Least time between two deliveries. */
    readonly everyMs: number;
    /** The pause after a failed attempt, which doubles up to a maximum. */
    readonly firstRetryMs: number;
    readonly maxRetryMs: number;
  };
  /** Events that happen while the target is off are not delivered later. */
  readonly isOn: (tx: Queries) => boolean;
  /** Returns undefined if none of the events has to be told any more. */
  readonly attempt: (events: readonly DeliveryRow[], signal: AbortSignal) => Promise<A> | undefined;
  /** Whether the events count as delivered. */
  readonly isAccepted: (attempt: A) => boolean;
}

export type Delivery<A extends Attempt> = ReturnType<typeof createDelivery<A>>;

export function createDelivery<A extends Attempt>(options: DeliveryOptions<A>) {
  const { db, log, now, name, room, atOnce, times, isOn } = options;
  const stopped = new AbortController();
  let timer: Timer | undefined;
  let waitsUntil = 0;
  let failures = 0;
  /** Counts the changes of the target. */
  let target = 0;
  let isSending = false;
  /** Whether something may have to be sent. */
  let isWoken = false;
  let isTesting = false;
  // In memory as well: while the disk is full, what was accepted must not be sent again.
  let { acceptedAt } = readTarget(db, name);
  let delivered = 0;

  const pause = (ms: number): void => {
    waitsUntil = now() + ms;
    timer = setTimeout(() => {
      timer = undefined;
      void run();
    }, ms);
  };
  const retry = (): void => {
    failures += 1;
    pause(Math.min(times.maxRetryMs, times.firstRetryMs * 2 ** (failures - 1)));
  };

  const note = (attempt: A, isAccepted: boolean): void => {
    const time = now();
    if (isAccepted) acceptedAt = time;
    if (!attempt.ok && failures === 0) {
      log.warn('alarms were not delivered', { to: name, reason: attempt.reason });
    }
    writeTarget(db, name, { ...readTarget(db, name), last: { ...(attempt as Attempt), time }, acceptedAt });
  };

  /** Sends what waits. Returns whether there may be more. */
  const deliver = async (): Promise<boolean> => {
    if (!isOn(db)) {
      deleteDeliveries(db, name);
      return false;
    }
    const events = listDeliveries(db, name, { after: delivered, limit: atOnce });
    const last = events.at(-1);
    if (last === undefined) return false;
    // A clock that was set back must not keep events from going out.
    const left = Math.min(times.everyMs, acceptedAt + times.everyMs - now());
    if (left > 0) {
      pause(left);
      return false;
    }
    const meant = target;
    const attempt = await options.attempt(events, stopped.signal);
    if (stopped.signal.aborted) return false;
    const isAccepted = attempt === undefined || options.isAccepted(attempt);
    if (isAccepted) {
      failures = 0;
      delivered = last.id;
    }
    // The outcome at a target that has been replaced meanwhile says nothing about the new one, which is tried at once.
    const isSame = meant === target;
    if (attempt && isSame) note(attempt, isAccepted);
    if (isAccepted) deleteDeliveries(db, name, delivered);
    else if (isSame) retry();
    return true;
  };

  const run = async (): Promise<void> => {
    isWoken = true;
    if (isSending || stopped.signal.aborted) return;
    isSending = true;
    try {
      while (isWoken && timer === undefined && !stopped.signal.aborted) {
        isWoken = false;
        if (await deliver()) isWoken = true;
      }
    } catch (error) {
      log.error('alarms can’t be delivered', { to: name, reason: String(error) });
      if (timer === undefined && !stopped.signal.aborted) retry();
    } finally {
      isSending = false;
    }
  };

  return {
    state(): DeliveryState & { readonly last?: A & { readonly time: number } } {
      const { dropped, last, acceptedAt: accepted } = readTarget(db, name);
      return {
        ...{ waiting: countDeliveries(db, name), dropped },
        ...(failures > 0 && timer !== undefined && { 'retry-in-ms': Math.max(0, waitsUntil - now()) }),
        ...(last && { last: last as unknown as A & { time: number } }),
        ...(accepted > 0 && { 'last-accepted': accepted }),
      };
    },
    /** Runs in the transaction that stores the alarm; call `wake` after it. */
    add(tx: Queries, body: string): void {
      if (!isOn(tx)) return;
      insertDelivery(tx, name, body);
      const over = countDeliveries(tx, name) - room;
      if (over <= 0) return;
      deleteOldestDeliveries(tx, name, over);
      const row = readTarget(tx, name);
      writeTarget(tx, name, { ...row, dropped: row.dropped + over });
    },
    /** Forgets the outcomes at a target that was replaced. */
    reset(tx: Queries): void {
      acceptedAt = 0;
      writeTarget(tx, name, { dropped: 0, last: null, acceptedAt });
    },
    /** Call when there may be something to deliver, or the target has changed. */
    wake({ isNewTarget }: { readonly isNewTarget: boolean }): void {
      if (isNewTarget) {
        clearTimeout(timer);
        timer = undefined;
        failures = 0;
        target += 1;
      }
      void run();
    },
    /** Makes an attempt at once, whose outcome is only returned. */
    async test(send: (signal: AbortSignal) => Promise<A>): Promise<A> {
      if (isTesting) throw new HubError('inProgress', 'a test message is already being sent');
      isTesting = true;
      try {
        return await send(stopped.signal);
      } finally {
        isTesting = false;
      }
    },
    close(): void {
      clearTimeout(timer);
      stopped.abort();
    },
  };
}
