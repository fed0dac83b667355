/** Reacts to sources that appear and disappear: failover, and new sources that fill inputs. */
import { hubActor } from '../../http/actor.ts';
import { isNoSpace } from '../../lib/no-space.ts';
import type { RouterCore } from './core.ts';
import { describeInput, routeEntries } from './describe.ts';
import { dueSwitches, type FailoverTimes, type Presence, withSwitches } from './failover.ts';
import { emptyInput, inputOf, type Matrix } from './matrix.ts';
import { freeInput, inputTitle } from './matrix-edit.ts';
import { inputEdit } from './store.ts';

/** A monotonic clock. */
export interface Clock {
  readonly elapsed: () => number;
  /** Returns a function that cancels it. */
  readonly after: (ms: number, work: () => void) => () => void;
}

export interface WatchTimes extends FailoverTimes {
  /** Milliseconds after the start of the NDI process until it has discovered the sources on the network. */
  readonly settleMs: number;
}

export function watchSources(core: RouterCore, clock: Clock, times: WatchTimes) {
  const presence = new Map<string, Presence>();
  /** Outputs that a user routed to a source that was already offline. */
  const unarmed = new Set<number>();
  let settledAt: number | undefined;
  let cancelSettle: (() => void) | undefined;
  let cancelCheck: (() => void) | undefined;
  let isRunning = false;

  const isAway = (matrix: Matrix, out: number): boolean => {
    const slot = matrix.outputs.get(out)?.slot ?? null;
    const source = slot === null ? null : inputOf(matrix, slot).source;
    return source !== null && !core.isOnline(source);
  };

  function followRuntime(): void {
    if (core.isRunning() === isRunning) return;
    isRunning = !isRunning;
    cancelSettle?.();
    settledAt = undefined;
    presence.clear();
    if (!isRunning) return;
    cancelSettle = clock.after(times.settleMs, () => {
      settledAt = clock.elapsed();
      check();
    });
  }

  function followSources(names: readonly string[]): void {
    const since = clock.elapsed();
    const online = isRunning ? core.sources().map(({ name }) => name) : [];
    for (const name of online) if (!presence.get(name)?.online) presence.set(name, { online: true, since });
    for (const name of names) {
      if (!core.isOnline(name) && presence.get(name)?.online) presence.set(name, { online: false, since });
    }
    // Failover needs only the sources of inputs.
    const used = new Set([...core.matrix().inputs.values()].map(({ source }) => source));
    for (const [name, { online: isThere }] of presence) if (!isThere && !used.has(name)) presence.delete(name);
    for (const out of [...unarmed]) if (!isAway(core.matrix(), out)) unarmed.delete(out);
  }

  function check(): void {
    cancelCheck?.();
    cancelCheck = undefined;
    const since = settledAt;
    if (since === undefined) return;
    const now = clock.elapsed();
    const matrix = core.matrix();
    const { switches, nextAt } = dueSwitches(matrix, {
      ...{ now, times },
      presence: (source) => presence.get(source) ?? { online: false, since },
      isArmed: (out) => !unarmed.has(out),
    });
    if (nextAt !== undefined) cancelCheck = clock.after(nextAt - now, check);
    if (switches.length === 0) return;
    const next = withSwitches(matrix, switches);
    void core.show(next, { actor: hubActor, entries: routeEntries(matrix, next, { word: 'byFailover' }) });
  }

  /** Assigns new sources to the next free inputs, as long as there are free ones. */
  function fill(names: readonly string[]): void {
    const before = core.matrix();
    if (!before.autoFill) return;
    const known = new Set([...before.inputs.values()].map(({ source }) => source));
    const inputs = new Map(before.inputs);
    const filled: number[] = [];
    for (const name of names) {
      if (known.has(name) || core.source(name)?.own !== false) continue;
      const so = { ...before, inputs };
      if (so.inputCount <= [...inputs.values()].filter(({ source }) => source !== null).length) break;
      const id = freeInput(so);
      inputs.set(id, { ...emptyInput, label: inputOf(so, id).label, source: name });
      filled.push(id);
    }
    if (filled.length === 0) return;
    const next = { ...before, inputs };
    const entries = filled.map((id) => ({
      ...{ action: 'ndiInput.set', subject: inputTitle(id, inputOf(next, id)), edited: [inputEdit(id)] },
      changes: describeInput(inputOf(before, id), inputOf(next, id)),
    }));
    core.commit(next, { actor: hubActor, entries }).catch((error) => {
      if (!isNoSpace(error)) throw error;
    });
  }

  function follow(names: readonly string[]): void {
    followRuntime();
    if (names.length > 0) {
      followSources(names);
      fill(names);
    }
    check();
  }
  const stop = core.onChange(({ sources }) => follow(sources));
  follow(core.sources().map(({ name }) => name));

  return {
    /** Call when routes of a user are stored, before subscribers learn of them, so that failover does not undo them. */
    routed(outs: readonly number[]): void {
      for (const out of outs) {
        if (isAway(core.matrix(), out)) unarmed.add(out);
        else unarmed.delete(out);
      }
    },
    close(): void {
      stop();
      cancelSettle?.();
      cancelCheck?.();
    },
  };
}
