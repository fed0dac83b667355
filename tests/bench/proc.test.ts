import { describe, expect, test } from 'bun:test';
import { cpuSeconds, ownBytes, processTree, pssBytes, rssBytes, threadTimes } from './proc.ts';

describe('process figures', () => {
  test('a busy loop costs the CPU time that the system counted for it', () => {
    const spent = (from?: NodeJS.CpuUsage): number => {
      const { user, system } = process.cpuUsage(from);
      return (user + system) / 1e6;
    };
    const [usage, before] = [process.cpuUsage(), threadTimes([process.pid])];
    while (spent(usage) < 0.1);
    const cpu = cpuSeconds(before, threadTimes([process.pid]));
    expect(cpu).toBeGreaterThan(0.08);
    expect(cpu).toBeLessThan(spent(usage) + 0.02);
  });

  test('a thread that is new in the second sample counts completely', () => {
    expect(
      cpuSeconds(
        new Map([[1, 5e9]]),
        new Map([
          [1, 6e9],
          [2, 5e8],
        ]),
      ),
    ).toBeCloseTo(1.5);
  });

  test('a process tree contains children and their children', async () => {
    const child = Bun.spawn(['sh', '-c', 'sleep 30 & echo started; wait'], { stdout: 'pipe' });
    await child.stdout.getReader().read();
    const tree = processTree(process.pid);
    expect(tree).toContain(child.pid);
    expect(processTree(child.pid)).toHaveLength(2);
    for (const pid of processTree(child.pid)) process.kill(pid, 'SIGKILL');
    await child.exited;
  });

  test('memory of its own grows with what a process allocates, and has no pages of its program', () => {
    const before = ownBytes([process.pid]);
    const bytes = new Uint8Array(32 << 20).fill(1);
    expect(ownBytes([process.pid]) - before).toBeGreaterThan(bytes.length * 0.9);
    expect(rssBytes([process.pid]) - ownBytes([process.pid])).toBeGreaterThan(10e6);
  });

  test('a process has memory, one that has exited has none', () => {
    expect(pssBytes([process.pid])).toBeGreaterThan(1e6);
    expect(pssBytes([2 ** 22 + 1])).toBe(0);
  });
});
