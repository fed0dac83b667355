/** The resources that the processes of a hub hold at one moment. */
import { readdirSync, readFileSync } from 'node:fs';
import type { BenchHub } from '../hub.ts';
import { processTree, rssBytes } from '../proc.ts';

export const processNames = ['hub', 'engine', 'endpoints'] as const;
export type ProcessName = (typeof processNames)[number];

export interface Holding {
  readonly memoryBytes: number;
  readonly descriptors: number;
  readonly threads: number;
}

export interface Sample {
  readonly second: number;
  readonly holdings: Readonly<Record<ProcessName, Holding>>;
  /** Zombie processes among all processes of the hub. */
  readonly zombies: number;
}

export function takeSample(hub: BenchHub, second: number): Sample {
  const processes = hub.processes();
  const holdings = Object.fromEntries(
    processNames.map((name) => [name, holdingOf(processes[name])]),
  ) as Sample['holdings'];
  const everybody = Object.values(processes).flatMap((pids) => pids.flatMap(processTree));
  return { second, holdings, zombies: [...new Set(everybody)].filter(isZombie).length };
}

function holdingOf(pids: readonly number[]): Holding {
  const entries = (folder: string) => pids.reduce((sum, pid) => sum + countEntries(`/proc/${pid}/${folder}`), 0);
  return { memoryBytes: rssBytes(pids), descriptors: entries('fd'), threads: entries('task') };
}

function countEntries(folder: string): number {
  try {
    return readdirSync(folder).length;
  } catch {
    return 0;
  }
}

function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    return false;
  }
}
