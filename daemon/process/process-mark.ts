/** Identifies processes across restarts of the program that started them. */
import { readFileSync } from 'node:fs';

/** A process id with its start time, so that a later process with the same id is not mistaken for it. */
export interface ProcessMark {
  readonly pid: number;
  readonly startTime: string;
}

/** Undefined if the process does not exist or is a zombie (the parent of an adopted process may not reap it). */
export function markProcess(pid: number): ProcessMark | undefined {
  if (!Number.isInteger(pid) || pid <= 1) return undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may contain spaces and parentheses.
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const startTime = fields[18];
    return state === 'Z' || state === 'X' || startTime === undefined ? undefined : { pid, startTime };
  } catch {
    return undefined;
  }
}

export function isAlive(mark: ProcessMark): boolean {
  return markProcess(mark.pid)?.startTime === mark.startTime;
}

export function signal(mark: ProcessMark, name: 'SIGTERM' | 'SIGKILL'): void {
  if (!isAlive(mark)) return;
  try {
    process.kill(mark.pid, name);
  } catch {
    // It ended in the meantime.
  }
}
