/**
 * Who used which forward, for the operation log: one entry when an address connects, and one with the sums when it has
 * had no connection for a while, so that a browser or a flood of connections does not fill the log.
 */
import type { OperationChange } from '../../contract/logs.ts';
import type { Traffic } from './listener.ts';

interface VisitOptions {
  readonly quietMs: number;
  readonly now: () => number;
  readonly record: (entry: VisitEntry) => void;
}

export interface VisitEntry {
  readonly forwardId: number;
  readonly peer: string;
  readonly action: 'forward.connect' | 'forward.disconnect';
  readonly changes: OperationChange[];
}

interface Visit {
  readonly forwardId: number;
  readonly peer: string;
  open: number;
  count: number;
  rx: number;
  tx: number;
  lastAt: number;
}

/** Addresses of further visitors are not recorded; the entry when a forward stops has the sums of all. */
export const maxVisits = 64;

export function createVisits({ quietMs, now, record }: VisitOptions) {
  const visits = new Map<string, Visit>();
  const keyOf = (forwardId: number, peer: string) => `${forwardId} ${peer}`;

  function end(visit: Visit): void {
    const { forwardId, peer } = visit;
    visits.delete(keyOf(forwardId, peer));
    const changes: OperationChange[] = [{ word: 'client', value: peer }, ...sumsOf(visit)];
    record({ forwardId, peer, action: 'forward.disconnect', changes });
  }

  return {
    opened(forwardId: number, peer: string): void {
      const key = keyOf(forwardId, peer);
      let visit = visits.get(key);
      if (visit === undefined) {
        if (visits.size >= maxVisits) return;
        visit = { forwardId, peer, open: 0, count: 0, rx: 0, tx: 0, lastAt: now() };
        visits.set(key, visit);
        record({ forwardId, peer, action: 'forward.connect', changes: [{ word: 'client', value: peer }] });
      }
      visit.open += 1;
      visit.count += 1;
    },
    closed(forwardId: number, peer: string, { rx, tx }: Traffic): void {
      const visit = visits.get(keyOf(forwardId, peer));
      if (visit === undefined) return;
      visit.open -= 1;
      visit.rx += rx;
      visit.tx += tx;
      visit.lastAt = now();
    },
    /** Ends the visits that are over. */
    check(): void {
      for (const visit of [...visits.values()]) {
        if (visit.open <= 0 && now() - visit.lastAt >= quietMs) end(visit);
      }
    },
    /** Ends the visits of a forward that was stopped, or of all. */
    endAll(forwardId?: number): void {
      for (const visit of [...visits.values()]) {
        if (forwardId === undefined || visit.forwardId === forwardId) end(visit);
      }
    },
  };
}

/** For the operation log. */
export function sumsOf({ count, rx, tx }: Traffic & { readonly count: number }): OperationChange[] {
  return [
    { word: 'connections', value: String(count) },
    { word: 'received', value: bytesText(rx) },
    { word: 'sent', value: bytesText(tx) },
  ];
}

const units = ['kB', 'MB', 'GB', 'TB'];

function bytesText(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(units.length, Math.floor(Math.log10(bytes) / 3));
  return power === 0 ? `${bytes} B` : `${(bytes / 1000 ** power).toFixed(1)} ${units[power - 1]}`;
}
