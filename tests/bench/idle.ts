/** The cost of an idle hub, run as `make dist` makes it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type BenchHub, startHub } from './hub.ts';
import { cpuSeconds, machineBusySeconds, ownBytes, pssBytes, rssBytes, threadTimes } from './proc.ts';
import type { IdleProcess, IdleResult } from './report/result.ts';
import { median } from './statistics.ts';

const root = join(import.meta.dir, '../..');
const settleMs = 3000;
const windowMs = 3000;
const budgetTimeoutMs = 30_000;
const buildTimeoutMs = 600_000;

export async function measureIdle(starts: number): Promise<IdleResult> {
  const startTimes: number[] = [];
  let processes: IdleProcess[] = [];
  let othersCpu = 0;
  const program = await makeProgram();
  for (let i = 0; i < starts; i++) {
    const meter = startMeter();
    const hub = await startHub({ program: [program] });
    othersCpu = Math.max(othersCpu, meter(Object.values(hub.processes()).flat()));
    try {
      startTimes.push(hub.startMs);
      if (i === starts - 1) processes = await measureAtRest(hub);
    } finally {
      await hub.stop();
    }
  }
  return { startMs: median(startTimes), othersCpu, processes, sizes: await readSizes() };
}

async function makeProgram(): Promise<string> {
  const make = Bun.spawn(['make', 'dist'], { cwd: root, stdout: 'ignore', stderr: 'inherit', timeout: buildTimeoutMs });
  if ((await make.exited) !== 0) throw new Error('make dist failed');
  const architecture = Bun.spawnSync(['dpkg', '--print-architecture']).stdout.toString().trim();
  return join(root, 'build/dist', architecture, 'bin/signalbox');
}

/** CPU used by other processes until the meter is read, in cores; `own` started in the meantime. */
function startMeter(): (own: readonly number[]) => number {
  const [busy, bench, at] = [machineBusySeconds(), threadTimes([process.pid]), performance.now()];
  return (own) => {
    const ours = cpuSeconds(bench, threadTimes([process.pid])) + cpuSeconds(new Map(), threadTimes(own));
    return Math.max(0, machineBusySeconds() - busy - ours) / ((performance.now() - at) / 1000);
  };
}

async function measureAtRest(hub: BenchHub): Promise<IdleProcess[]> {
  await Bun.sleep(settleMs);
  const groups = Object.entries(hub.processes()).filter(([, pids]) => pids.length > 0);
  const before = groups.map(([, pids]) => threadTimes(pids));
  await Bun.sleep(windowMs);
  return groups.map(([name, pids], i) => ({
    name,
    rssBytes: rssBytes(pids),
    pssBytes: pssBytes(pids),
    ownBytes: ownBytes(pids),
    cpu: (cpuSeconds(before[i] ?? new Map(), threadTimes(pids)) * 1000) / windowMs,
  }));
}

/** The first loads, from the table of the size budget. */
async function readSizes(): Promise<IdleResult['sizes']> {
  if (!existsSync(join(root, 'web/dist/.vite/manifest.json'))) return [];
  const child = Bun.spawn([process.execPath, 'tests/budget/budget.ts'], {
    cwd: root,
    stdout: 'pipe',
    stderr: 'ignore',
    timeout: budgetTimeoutMs,
  });
  const lines = (await new Response(child.stdout).text()).split('\n');
  return lines.flatMap((line) => {
    const [, item, kib, budget] = /^(.*first load.*?)\s{2,}([\d.]+)\s+(\d+)\s/.exec(line) ?? [];
    return item === undefined ? [] : [{ item, kib: Number(kib), budget: Number(budget) }];
  });
}
