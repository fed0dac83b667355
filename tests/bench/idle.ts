/** What the hub costs before anything happens. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type BenchHub, startHub } from './hub.ts';
import { pssBytes } from './proc.ts';
import type { IdleResult } from './report/result.ts';
import { median } from './statistics.ts';

const root = join(import.meta.dir, '../..');
const settleMs = 4000;
const budgetTimeoutMs = 30_000;

export async function measureIdle(starts: number): Promise<IdleResult> {
  const startTimes: number[] = [];
  let memory = { hubBytes: 0, engineBytes: 0 };
  for (let i = 0; i < starts; i++) {
    const hub = await startHub();
    try {
      startTimes.push(hub.startMs);
      if (i === starts - 1) memory = await measureMemory(hub);
    } finally {
      await hub.stop();
    }
  }
  return { startMs: median(startTimes), ...memory, sizes: await readSizes() };
}

async function measureMemory(hub: BenchHub): Promise<{ hubBytes: number; engineBytes: number }> {
  await hub.signIn();
  await Bun.sleep(settleMs);
  const { hub: own, ...media } = hub.processes();
  return { hubBytes: pssBytes(own), engineBytes: pssBytes(Object.values(media).flat()) };
}

/** The first loads, from the table that the size budget prints. */
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
