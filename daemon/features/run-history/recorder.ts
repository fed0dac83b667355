/** Watches the channels and stores every state change: briefly in memory, then in the database. */

import type { Channel } from '../../contract/channels.ts';
import { limits } from '../../contract/limits.ts';
import type { RunPart } from '../../contract/streams.ts';
import type { Log } from '../../lib/log.ts';
import type { MediaStatus } from '../../media/port.ts';
import { type Database, transaction } from '../../store/database.ts';
import { timing } from '../../timing.ts';
import { isAtRest, isPassing, type PartState, partStates } from './states.ts';
import { deleteRunEventsBefore, insertRunEvents, lastRunEvents, type NewRunRow, trimRunEvents } from './store.ts';

export interface RecorderDeps {
  readonly db: Database;
  readonly log: Log;
  readonly now: () => number;
  readonly media: () => Pick<MediaStatus, 'engine' | 'applied'>;
  /** All channels, each with all outputs. */
  readonly channels: () => readonly Channel[];
  /** The user who last switched the channel's input by hand. */
  readonly switchedBy: (channelId: number) => string | undefined;
  /**
   * Calls the listener when the channels may have changed, until the returned function is called. Each call is recorded
   * by itself, because a state may be gone in the next one; the engine reports at most every 50 ms.
   */
  readonly onChange: (listener: () => void) => () => void;
}

/** Limit while the database cannot be written; the oldest are discarded. */
const maxPending = 10_000;

const keyOf = (channelId: number, what: string, outputId: number) => `${channelId} ${what} ${outputId}`;
interface Known extends Pick<PartState, 'state' | 'reason'> {
  /** When the state began, whatever its reason; undefined for a part that has not changed since it was added. */
  readonly since?: number;
}

export type RunRecorder = ReturnType<typeof createRunRecorder>;

export function createRunRecorder(deps: RecorderDeps) {
  const { db, log, now } = deps;
  let known = new Map<string, Known>();
  /** Since when each part has been in a transitional state. */
  let passing = new Map<string, number>();
  let pending: NewRunRow[] = [];
  let timer: Timer | undefined;
  let sweeper: Timer | undefined;
  let leave: (() => void) | undefined;
  let hasRun = false;
  let isFailing = false;

  const look = (): void => {
    const { engine, applied } = deps.media();
    hasRun ||= engine === 'running' && applied;
    // At startup the engine connects first.
    if (!hasRun) return;
    const isApplying = engine === 'running' && !applied;
    const next = new Map<string, Known>();
    const nextPassing = new Map<string, number>();
    const time = now();
    for (const channel of deps.channels()) {
      for (const part of partStates(channel)) {
        const key = keyOf(channel.id, part.what, part.outputId);
        const before = known.get(key);
        const since = passing.get(key) ?? time;
        const isSame = before?.state === part.state && (before.reason === part.reason || part.what === 'switch');
        // Until the engine has applied a change, a part may be idle only because the engine doesn't know it yet.
        if (!isSame && (isPassing(part, time - since) || (isApplying && isAtRest(part)))) {
          next.set(key, before ?? { state: '', reason: '' });
          nextPassing.set(key, since);
          continue;
        }
        // A part that was just created and is idle has not changed.
        const isNew = (before === undefined || before.state === '') && isAtRest(part);
        const began = before?.state === part.state || isNew ? before?.since : time;
        next.set(key, { ...part, ...(began !== undefined && { since: began }) });
        if (!isSame && !isNew) add(rowOf(channel.id, part, before?.state ?? '', time));
      }
    }
    known = next;
    passing = nextPassing;
  };

  const rowOf = (channelId: number, part: PartState, from: string, time: number): NewRunRow => {
    const { what, outputId, name, state, reason, afterMs = 0 } = part;
    const by = what === 'switch' && reason === 'operator' ? (deps.switchedBy(channelId) ?? '') : '';
    return { channelId, time, what, outputId, name, fromState: from, toState: state, reason, by, afterMs };
  };

  const add = (row: NewRunRow): void => {
    pending.push(row);
    if (pending.length > maxPending) pending.shift();
    timer ??= setTimeout(write, timing.runHistory.writeMs);
  };

  const write = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (pending.length === 0) return;
    try {
      transaction<void>(db, (tx) => {
        insertRunEvents(tx, pending);
        for (const id of new Set(pending.map(({ channelId }) => channelId))) trimRunEvents(tx, id, limits.runEvents);
      });
      pending = [];
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.error('the history of channels can’t be stored', { reason: String(error) });
      isFailing = true;
      timer = setTimeout(write, timing.runHistory.writeMs);
    }
  };

  const sweep = (): void => {
    try {
      deleteRunEventsBefore(db, now() - limits.runEventDays * 86_400_000);
    } catch (error) {
      log.error('old history of channels can’t be removed', { reason: String(error) });
    }
  };

  return {
    /** Returns since when the part has been in its state, in milliseconds since 1970; undefined if that is unknown. */
    since: (channelId: number, what: RunPart, outputId: number): number | undefined =>
      known.get(keyOf(channelId, what, outputId))?.since,
    start(): void {
      for (const row of lastRunEvents(db)) {
        known.set(keyOf(row.channelId, row.what, row.outputId), {
          ...{ state: row.toState, reason: row.reason, since: row.time },
        });
      }
      sweep();
      sweeper = setInterval(sweep, timing.runHistory.sweepMs);
      leave = deps.onChange(look);
    },
    /** Stores the pending changes. */
    close(): void {
      leave?.();
      clearInterval(sweeper);
      write();
      clearTimeout(timer);
    },
  };
}
