/**
 * Lines of the system log as they come. They are kept apart from the list that was asked for: what is put into that list
 * while an older page is on its way would be gone when the page comes.
 */
import { useSyncExternalStore } from 'react';
import type { SystemLogEvent } from '../../../../daemon/contract/events.ts';
import type { SystemLogLine } from '../../../../daemon/contract/system-log.ts';

export interface LiveLines {
  /** The oldest first. */
  readonly lines: readonly SystemLogLine[];
  /** Every line with a higher id is among them. */
  readonly since: number;
}

const mostKept = 5000;

let live: LiveLines = { lines: [], since: 0 };
const listeners = new Set<() => void>();

/** A stream that begins says how far the log has come; what was before it belongs to the list. */
export function keepLines(kind: 'init' | 'change', { lines, last }: SystemLogEvent): void {
  live = kind === 'init' ? { lines: [], since: last } : grown(live, lines);
  for (const listener of listeners) listener();
}

function grown(before: LiveLines, more: readonly SystemLogLine[]): LiveLines {
  const lines = [...before.lines, ...more];
  const left = lines.splice(0, lines.length - mostKept);
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
