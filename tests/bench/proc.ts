/** CPU time and memory of processes as reported by the kernel. */
import { readdirSync, readFileSync } from 'node:fs';

/** USER_HZ, which Linux reports to programs regardless of the kernel's tick rate. */
const ticksPerSecond = 100;

/** Nanoseconds on a CPU, per thread. Not ticks: at 0.3 % of a core, 10 ms steps would be most of the figure. */
export type ThreadTimes = ReadonlyMap<number, number>;

/** The process and all its descendants. */
export function processTree(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) continue;
    const parent = parentOf(pid);
    if (parent === undefined) continue;
    children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const tree: number[] = [];
  const queue = [root];
  for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
    tree.push(pid);
    queue.push(...(children.get(pid) ?? []));
  }
  return tree;
}

export function commandLine(pid: number): string[] {
  return (read(`/proc/${pid}/cmdline`) ?? '').split('\0').filter((part) => part !== '');
}

export function threadTimes(pids: Iterable<number>): ThreadTimes {
  const times = new Map<number, number>();
  for (const pid of pids) {
    for (const thread of list(`/proc/${pid}/task`)) {
      const onCpu = read(`/proc/${pid}/task/${thread}/schedstat`)?.split(' ')[0];
      if (onCpu !== undefined) times.set(Number(thread), Number(onCpu));
    }
  }
  return times;
}

/** Total busy seconds of all CPUs since boot, including stolen time. */
export function machineBusySeconds(): number {
  const fields = (read('/proc/stat')?.split('\n')[0] ?? '').split(/\s+/).slice(1, 9).map(Number);
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = fields;
  return (user + nice + system + irq + softirq + steal) / ticksPerSecond;
}

/** CPU seconds so far of a process and its descendants, including those that have ended and were waited for. */
export function treeCpuSeconds(root: number): number {
  let ticks = 0;
  for (const pid of processTree(root)) {
    const stat = read(`/proc/${pid}/stat`) ?? '';
    // utime, stime, and both of ended children.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 15)
      .map(Number);
    for (const field of fields) ticks += field;
  }
  return ticks / ticksPerSecond;
}

/** CPU seconds between two samples. A thread that ended in between counts up to the first sample only. */
export function cpuSeconds(before: ThreadTimes, after: ThreadTimes): number {
  let nanoseconds = 0;
  for (const [thread, time] of after) nanoseconds += time - (before.get(thread) ?? 0);
  return nanoseconds / 1e9;
}

/** Proportional set size in bytes: shared pages are divided among the processes that share them. */
export function pssBytes(pids: Iterable<number>): number {
  return sumRollup(pids, /^Pss:\s+(\d+) kB$/m);
}

/** Resident set size in bytes: shared pages count fully for every process. */
export function rssBytes(pids: Iterable<number>): number {
  return sumRollup(pids, /^Rss:\s+(\d+) kB$/m);
}

/** Anonymous memory of the processes in bytes, without file-backed pages. */
export function ownBytes(pids: Iterable<number>): number {
  return sumRollup(pids, /^Anonymous:\s+(\d+) kB$/m);
}

function sumRollup(pids: Iterable<number>, line: RegExp): number {
  let kilobytes = 0;
  for (const pid of pids) kilobytes += Number(line.exec(read(`/proc/${pid}/smaps_rollup`) ?? '')?.[1] ?? 0);
  return kilobytes * 1024;
}

/** Undefined if it has exited. */
export function parentOf(pid: number): number | undefined {
  const stat = read(`/proc/${pid}/stat`);
  // The name in parentheses may itself contain spaces and parentheses.
  const afterName = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return afterName === undefined ? undefined : Number(afterName[1]);
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}

function list(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
