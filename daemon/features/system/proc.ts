/** Parses files of Linux's /proc. Pure. */

export interface CpuTicks {
  readonly busy: number;
  readonly total: number;
}

/** First line of /proc/stat: all cores together. User time already includes guest time. */
export function parseCpu(stat: string): CpuTicks {
  const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0] =
    /^cpu +(.*)$/m.exec(stat)?.[1]?.split(' ').map(Number) ?? [];
  const busy = user + nice + system + irq + softirq + steal;
  return { busy, total: busy + idle + iowait };
}

export interface Memory {
  readonly totalBytes: number;
  /** Memory that programs can still allocate without swapping. */
  readonly availableBytes: number;
}

export function parseMemory(meminfo: string): Memory {
  const kib = (name: string) => Number(new RegExp(`^${name}: +(\\d+) kB`, 'm').exec(meminfo)?.[1] ?? 0);
  return { totalBytes: kib('MemTotal') * 1024, availableBytes: kib('MemAvailable') * 1024 };
}

export interface NetworkBytes {
  readonly received: number;
  readonly sent: number;
}

/** Sums /proc/net/dev over all interfaces but loopback. */
export function parseNetwork(dev: string): NetworkBytes {
  let [received, sent] = [0, 0];
  for (const line of dev.split('\n')) {
    const [, name, figures] = /^ *([^ :]+): *(.*)$/.exec(line) ?? [];
    if (name === undefined || figures === undefined || name === 'lo') continue;
    const numbers = figures.split(/ +/).map(Number);
    received += numbers[0] ?? 0;
    sent += numbers[8] ?? 0;
  }
  return { received, sent };
}
