/** The highest resident memory of a process since `resetPeak`, as the kernel keeps it. */
import { readFileSync, writeFileSync } from 'node:fs';

/** Returns the resident memory now, bytes. */
export function resetPeak(pid: number): number {
  // Resets VmHWM (proc(5), /proc/pid/clear_refs).
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  return statusBytes(pid, 'VmRSS');
}

export const peakBytes = (pid: number): number => statusBytes(pid, 'VmHWM');

function statusBytes(pid: number, name: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
}
