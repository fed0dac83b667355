/** Follows the file that the engine and its children write, including when it is truncated or replaced. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { entryOf, type LogEntry, plainLine } from '../../lib/log.ts';
import type { Mark } from './store.ts';

export interface Tail {
  /** Returns what was written since the last call, at most about a megabyte, and the new read position. */
  read(): { readonly entries: LogEntry[]; readonly mark: Mark } | undefined;
}

const maxAtOnce = 1 << 20;
const longestText = 2000;

export function followEngineLog(path: string, from: Mark | undefined, now: () => number): Tail {
  let mark = from;
  return {
    read() {
      const file = open(path);
      if (file === undefined) return undefined;
      try {
        const { ino, size } = fstatSync(file);
        const isSame = mark?.inode === ino && mark.offset <= size;
        const offset = isSame && mark ? mark.offset : 0;
        if (isSame && offset === size) return undefined;
        const { lines, bytes } = readLines(file, offset, size);
        mark = { inode: ino, offset: offset + bytes };
        return { entries: lines.map((line) => asEntry(line, now())), mark };
      } finally {
        closeSync(file);
      }
    },
  };
}

function open(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch {
    return undefined;
  }
}

/** Returns complete lines only, unless one is longer than the read buffer. */
function readLines(file: number, offset: number, size: number): { lines: string[]; bytes: number } {
  const buffer = Buffer.alloc(Math.min(maxAtOnce, size - offset));
  const read = readSync(file, buffer, 0, buffer.length, offset);
  const end = buffer.subarray(0, read).lastIndexOf(10) + 1;
  const bytes = end === 0 && read === maxAtOnce ? read : end;
  const lines = buffer.toString('utf8', 0, bytes).split('\n');
  return { lines: lines.filter((line) => line.trim() !== ''), bytes };
}

/** Lines not in our format come from a child process, or are a crash stack. */
function asEntry(line: string, now: number): LogEntry {
  const plain = plainLine(line);
  const own = entryOf(plain) ?? ({ time: now, level: 'warn', scope: 'media', text: plain } as const);
  return { ...own, text: own.text.slice(0, longestText) };
}
