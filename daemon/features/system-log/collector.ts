/** Collects the lines of the hub, its engine and the journal in the store, in batches, and notifies subscribers. */
import { eventTopics } from '../../contract/events.ts';
import type { SystemLogLine } from '../../contract/system-log.ts';
import { createLineTopic } from '../../http/topic.ts';
import { createEmitter } from '../../lib/emitter.ts';
import type { LogEntry } from '../../lib/log.ts';
import type { Tail } from './engine-log.ts';
import type { Journal } from './journal.ts';
import type { SystemLogStore } from './store.ts';

interface CollectorOptions {
  readonly store: SystemLogStore;
  readonly engine: Tail;
  readonly journal: Journal;
  /** Called for faults of the log itself, which cannot be logged there. */
  readonly onFault: (error: unknown) => void;
  readonly everyMs: number;
}

/** Maximum number of lines waiting to be written. */
const maxWaiting = 2000;

export function createSystemLog({ store, engine, journal, onFault, everyMs }: CollectorOptions) {
  let waiting: LogEntry[] = [];
  let dropped = 0;
  let isFailing = false;
  const changes = createEmitter<[readonly SystemLogLine[]]>();

  const tell = (lines: SystemLogLine[]) => {
    if (lines.length > 0) changes.emit(lines);
  };
  const flush = () => {
    try {
      const own = waiting;
      waiting = [];
      if (dropped > 0) own.push(droppedEntry(dropped));
      dropped = 0;
      if (own.length > 0) tell(store.append(own));
      const more = engine.read();
      if (more) tell(store.append(more.entries, { mark: more.mark }));
      const found = journal.read();
      if (found) tell(store.append(found.entries, { cursor: found.cursor }));
      if (own.length > 0 || more || found) isFailing = false;
    } catch (error) {
      // Reported once until it works again: a full disk lasts, and writing is retried several times a second.
      if (!isFailing) onFault(error);
      isFailing = true;
    }
  };
  const timer = setInterval(flush, everyMs);
  timer.unref();
  return {
    /** Never throws and never blocks: a full or broken log must not stop the hub. */
    add(entry: LogEntry): void {
      if (waiting.length < maxWaiting) waiting.push(entry);
      else dropped += 1;
    },
    /** Writes the pending lines, and reads the engine's file. */
    flush,
    close(): void {
      clearInterval(timer);
      journal.close();
      flush();
      store.close();
    },
    topic: createLineTopic<SystemLogLine>({
      name: 'syslog',
      scope: eventTopics.syslog,
      idOf: ({ id }) => id,
      last: store.last,
      subscribe: changes.on,
    }),
  };
}

function droppedEntry(count: number): LogEntry {
  return { time: Date.now(), level: 'warn', scope: 'hub', text: `${count} lines came too fast for the system log` };
}
