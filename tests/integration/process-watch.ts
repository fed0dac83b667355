/** Every command line and environment of a hub's processes, including short-lived ones. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandLine, parentOf } from '../bench/proc.ts';
import type { HubProcess } from './hub-process.ts';

export interface ProcessWatch {
  /** Each once: the arguments, separated by spaces, and the environment; for the hub itself only the arguments. */
  readonly seen: ReadonlySet<string>;
  stop(): void;
}

const lookEveryMs = 20;

export function watchProcesses(hub: HubProcess): ProcessWatch {
  const seen = new Set<string>();
  /** The parent of each process that runs. Only a new process is asked: there may be hundreds, fifty times a second. */
  let parents: ReadonlyMap<number, number> = new Map();
  const look = () => {
    const running = readdirSync('/proc').map(Number).filter(Number.isInteger);
    parents = new Map(running.map((pid) => [pid, parents.get(pid) ?? parentOf(pid) ?? 0]));
    const own = commandLine(hub.pid).join(' ');
    const roots = [hub.pid, enginePid(hub)].filter((pid) => pid > 1);
    const isBelow = (pid = 0): boolean => pid > 1 && (roots.includes(pid) || isBelow(parents.get(pid)));
    for (const pid of running.filter(isBelow)) {
      const line = commandLine(pid).join(' ');
      // A hub's first password is in its environment, which a child has until it executes its program.
      const environment = line === own ? '' : read(`/proc/${pid}/environ`).replaceAll('\0', ' ');
      seen.add(`${line} ${environment}`);
    }
  };
  const timer = setInterval(look, lookEveryMs);
  return { seen, stop: () => clearInterval(timer) };
}

function enginePid(hub: HubProcess): number {
  return Number(read(join(hub.dataDir, 'run/engine.pid')).split(' ')[0]);
}

/** Empty if it has exited. */
export function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
