/** The change that is not finished, in a file that survives power cuts: it is there before the change begins. */
import { readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ChangeFailure, ChangeOutcome, ConfirmedKind } from '../../contract/network-states.ts';
import { replaceFile, syncPath } from '../../lib/durable-file.ts';
import type { Log } from '../../lib/log.ts';

export interface JournalEntry {
  readonly kind: ConfirmedKind;
  readonly user: string;
  /** Null for a change that the hub makes by itself. */
  readonly userId: number | null;
  /** SHA-256 of the token; empty for a change that needs none. */
  readonly tokenHash: string;
  /** By the clock since the machine started. */
  readonly deadline: number;
  readonly bootId: string;
  /** `waiting` for its confirmation; `confirmed`, and to be stored; `undoing`. */
  readonly phase: 'waiting' | 'confirmed' | 'undoing';
  /** Whether it has taken effect: before that, nothing proves that the hub can still be reached. */
  readonly isApplied: boolean;
  /** While it is undone: why. */
  readonly outcome?: ChangeOutcome;
  readonly failure?: ChangeFailure;
  /** What its kind needs to finish it. */
  readonly data: unknown;
}

export interface Journal {
  read(): JournalEntry | undefined;
  /** Returns when the entry is on the disk. */
  write(entry: JournalEntry | undefined): void;
}

export function openJournal(file: string, log: Log): Journal {
  return {
    read() {
      try {
        return JSON.parse(readFileSync(file, 'utf8')) as JournalEntry;
      } catch (error) {
        if ((error as { code?: string }).code !== 'ENOENT') {
          log.error('the journal of changes cannot be read', { reason: String(error) });
        }
        return undefined;
      }
    },
    write(entry) {
      if (entry !== undefined) {
        replaceFile(file, JSON.stringify(entry));
        return;
      }
      rmSync(file, { force: true });
      syncPath(dirname(file));
    },
  };
}
