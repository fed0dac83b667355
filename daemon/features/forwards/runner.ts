/** The listeners of the forwards that are started. */
import type { ForwardReason } from '../../contract/forward-states.ts';
import { limits } from '../../contract/limits.ts';
import type { OperationChange } from '../../contract/logs.ts';
import type { ByteStream } from '../../link/byte-stream.ts';
import type { StreamCode } from '../../link/codes.ts';
import type { Timing } from '../../timing.ts';
import { type ForwardListener, listenForward } from './listener.ts';
import type { ForwardRow } from './store.ts';
import { createVisits, sumsOf, type VisitEntry } from './visits.ts';

export interface RunningForward {
  /** Undefined while its port cannot be opened. */
  readonly listener: ForwardListener | undefined;
  readonly fault: ForwardReason | undefined;
  readonly triedAt: number;
  /** Why the last connection failed. */
  lastReason: ForwardReason | undefined;
}

interface RunnerDeps {
  readonly timing: Timing['forwards'];
  /** Whether a new connection is let through. */
  readonly admits: (id: number) => boolean;
  readonly openPort: (row: ForwardRow) => ByteStream | StreamCode;
  readonly record: (entry: VisitEntry) => void;
}

/** For pauses: the clock of the system may be set. */
const elapsed = () => performance.now();

export type ForwardRunner = ReturnType<typeof createForwardRunner>;

export function createForwardRunner({ timing, admits, openPort, record }: RunnerDeps) {
  const running = new Map<number, RunningForward>();
  /** Whose figures have changed. */
  const moved = new Set<number>();
  const visits = createVisits({ quietMs: timing.visitMs, now: elapsed, record });

  function listen(row: ForwardRow, port: number): ForwardListener {
    const { id, address } = row;
    return listenForward({
      ...{ address, port, maxConnections: limits.forwards.connections, now: elapsed },
      admits: () => admits(id),
      open: () => openPort(row),
      onOpened(peer) {
        visits.opened(id, peer);
        moved.add(id);
      },
      onClosed(peer, traffic) {
        visits.closed(id, peer, traffic);
        moved.add(id);
      },
      onReason(reason) {
        const one = running.get(id);
        if (one === undefined || one.lastReason === reason) return;
        one.lastReason = reason;
        moved.add(id);
      },
    });
  }

  /** If the hub chooses the port, it chooses the last one if it can. */
  function listenAsBefore(row: ForwardRow): ForwardListener {
    if (row.localPort === 0 && row.openPort !== 0) {
      try {
        return listen(row, row.openPort);
      } catch (error) {
        if (portFaultOf(error) === undefined) throw error;
      }
    }
    return listen(row, row.localPort);
  }

  const set = (id: number, listener: ForwardListener | undefined, fault?: ForwardReason) =>
    void running.set(id, { listener, fault, triedAt: elapsed(), lastReason: undefined });

  return {
    of: (id: number): RunningForward | undefined => running.get(id),
    ids: (): number[] => [...running.keys()],
    /** Opens the port and returns it. Throws the error of the system. */
    open(row: ForwardRow): number {
      const listener = listenAsBefore(row);
      set(row.id, listener);
      return listener.port;
    },
    /** The port cannot be opened; it is due again after a while. */
    fail: (id: number, fault: ForwardReason): void => set(id, undefined, fault),
    isDue: (id: number): boolean => {
      const one = running.get(id);
      return one?.fault !== undefined && elapsed() - one.triedAt >= timing.retryMs;
    },
    /** What it has carried, for the operation log. */
    sums(id: number): OperationChange[] {
      const listener = running.get(id)?.listener;
      return listener === undefined ? [] : sumsOf({ ...listener.traffic(), count: listener.total });
    },
    /** Closes the port and all connections at once. */
    close(id: number): void {
      const listener = running.get(id)?.listener;
      running.delete(id);
      listener?.close();
      visits.endAll(id);
    },
    /** Closes idle connections. Returns whether nobody has used the forward for that time. */
    isUnused({ id, idleMinutes }: ForwardRow): boolean {
      const listener = running.get(id)?.listener;
      if (listener === undefined) return false;
      if (listener.connections > 0) moved.add(id);
      if (idleMinutes === 0) return false;
      listener.closeIdle(idleMinutes * timing.minuteMs);
      return listener.unusedMs() >= idleMinutes * timing.minuteMs;
    },
    /** Ends visits that are over. Returns the ids of forwards whose figures have changed since the last call. */
    check(): number[] {
      visits.check();
      const ids = [...moved];
      moved.clear();
      return ids;
    },
    figures() {
      let connections = 0;
      for (const { listener } of running.values()) connections += listener?.connections ?? 0;
      return { started: running.size, connections };
    },
  };
}

/** Undefined for an error that has nothing to do with the port. */
export function portFaultOf(error: unknown): ForwardReason | undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return 'portOccupied';
  if (code === 'EACCES' || code === 'EPERM') return 'portForbidden';
  return code === 'EADDRNOTAVAIL' ? 'noAddress' : undefined;
}
