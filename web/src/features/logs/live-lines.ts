/**
 * Live lines of the system log. They are kept separate from the fetched list: lines added to that list while an older
 * page is loading would be lost when the page arrives.
 */
import { useSyncExternalStore } from 'react';
import type { LinesEvent } from '../../../../daemon/contract/events.ts';
import type { SystemLogLine } from '../../../../daemon/contract/system-log.ts';
import { defineTopic } from '../../api/live.ts';

export interface LiveLines {
  /** Oldest first. */
  readonly lines: readonly SystemLogLine[];
  /** All lines with a higher id are included. */
  readonly since: number;
}

const maxKept = 5000;

let live: LiveLines = { lines: [], since: 0 };
const listeners = new Set<() => void>();

/** The first event of a stream states the newest line id of the log; older lines belong to the list. */
export function keepLines(kind: 'init' | 'change', { lines, last }: LinesEvent<SystemLogLine>): void {
  live = kind === 'init' ? { lines: [], since: last } : grown(live, lines);
  for (const listener of listeners) listener();
}

export const systemLogTopic = defineTopic('syslog', keepLines);

function grown(before: LiveLines, more: readonly SystemLogLine[]): LiveLines {
  const lines = [...before.lines, ...more];
  const left = lines.splice(0, lines.length - maxKept);
  return { lines, since: left.at(-1)?.id ?? before.since };
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useLiveLines(): LiveLines {
  return useSyncExternalStore(subscribe, liveLines);
}

export function liveLines(): LiveLines {
  return live;
}
