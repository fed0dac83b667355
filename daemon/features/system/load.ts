/** Measures the load of this machine once a second and keeps the last 60 minutes. */
import { readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { limits } from '../../contract/limits.ts';
import { createRing, type Ring } from './history.ts';
import { parseCpu, parseMemory, parseNetwork } from './proc.ts';

export interface Load {
  /** Percent of all cores. */
  readonly cpu: number;
  /** Percent in use. */
  readonly mem: number;
  readonly availableBytes: number;
  readonly diskTotalBytes: number;
  readonly diskFreeBytes: number;
  /** Mbit/s. */
  readonly netTx: number;
  readonly netRx: number;
}

/** Mbit/s into and out of the media engine. */
export interface MediaRates {
  readonly in: number;
  readonly out: number;
}

const figures = ['cpu', 'mem', 'net-tx', 'net-rx', 'media-in', 'media-out'] as const;
type Figure = (typeof figures)[number];
export type LoadHistory = { readonly [F in Figure]: (number | null)[] } & {
  readonly 'step-s': number;
  readonly end: number;
};

/** What the meter reads; tests replace it. */
export interface Machine {
  cpu(): string;
  memory(): string;
  network(): string;
  disk(): Promise<{ totalBytes: number; freeBytes: number }>;
  /** Monotonic time in milliseconds. */
  clock(): number;
  /** Milliseconds since 1970. */
  now(): number;
}

interface LoadOptions {
  readonly machine: Machine;
  /** Null while the engine is not connected. */
  readonly media: () => MediaRates | null;
  readonly onFault: (error: unknown) => void;
}

export const historyStepSeconds = 5;
const diskEverySeconds = 10;

export function thisMachine(folder: string): Machine {
  const read = (path: string) => readFileSync(path, 'utf8');
  return {
    cpu: () => read('/proc/stat'),
    memory: () => read('/proc/meminfo'),
    network: () => read('/proc/net/dev'),
    async disk() {
      const { blocks, bavail, bsize } = await statfs(folder);
      return { totalBytes: blocks * bsize, freeBytes: bavail * bsize };
    },
    clock: () => performance.now(),
    now: () => Date.now(),
  };
}

export function createLoadMeter({ machine, media, onFault }: LoadOptions) {
  const length = (limits.historyMinutes * 60) / historyStepSeconds;
  const rings = Object.fromEntries(figures.map((name) => [name, createRing(length)])) as Record<Figure, Ring>;
  const step: Partial<Record<Figure, number | null>>[] = [];
  let load: Load = { cpu: 0, mem: 0, availableBytes: 0, diskTotalBytes: 0, diskFreeBytes: 0, netTx: 0, netRx: 0 };
  let last = readCounters(machine);
  let ticks = 0;
  let historyEnd = machine.now();

  const readDisk = () => {
    machine.disk().then(({ totalBytes, freeBytes }) => {
      load = { ...load, diskTotalBytes: totalBytes, diskFreeBytes: freeBytes };
    }, onFault);
  };
  /** Suspending the machine or stopping the hub leaves a gap of the right length. */
  const closeStep = () => {
    const missed = Math.min(length, Math.round((machine.now() - historyEnd) / 1000 / historyStepSeconds) - 1);
    for (const name of figures) {
      for (let i = 0; i < missed; i++) rings[name].push(null);
      rings[name].push(mean(step.map((second) => second[name] ?? null)));
    }
    step.length = 0;
    historyEnd = machine.now();
  };

  readDisk();
  load = { ...load, ...memoryOf(machine) };
  return {
    current: (): Load => load,
    history: (): LoadHistory => {
      const values = Object.fromEntries(figures.map((name) => [name, rings[name].values()]));
      return { 'step-s': historyStepSeconds, end: historyEnd, ...values } as LoadHistory;
    },
    /** Call once per second. */
    tick(): void {
      const next = readCounters(machine);
      load = { ...load, ...memoryOf(machine), ...ratesOf(last, next) };
      last = next;
      const rates = media();
      step.push({
        cpu: load.cpu,
        mem: load.mem,
        'net-tx': load.netTx,
        'net-rx': load.netRx,
        'media-in': rates?.in ?? null,
        'media-out': rates?.out ?? null,
      });
      ticks += 1;
      if (ticks % historyStepSeconds === 0) closeStep();
      if (ticks % diskEverySeconds === 0) readDisk();
    },
  };
}

function readCounters(machine: Machine) {
  return { ...parseCpu(machine.cpu()), ...parseNetwork(machine.network()), at: machine.clock() };
}
type Counters = ReturnType<typeof readCounters>;

function ratesOf(last: Counters, next: Counters): Pick<Load, 'cpu' | 'netTx' | 'netRx'> {
  const seconds = (next.at - last.at) / 1000;
  const ticks = next.total - last.total;
  // The counters of a removed interface disappear: that is not negative traffic.
  const mbit = (bytes: number) => (seconds > 0 ? round((Math.max(0, bytes) * 8) / 1e6 / seconds) : 0);
  return {
    cpu: ticks > 0 ? round((100 * (next.busy - last.busy)) / ticks) : 0,
    netTx: mbit(next.sent - last.sent),
    netRx: mbit(next.received - last.received),
  };
}

function memoryOf(machine: Machine): Pick<Load, 'mem' | 'availableBytes'> {
  const { totalBytes, availableBytes } = parseMemory(machine.memory());
  return { mem: totalBytes > 0 ? round(100 * (1 - availableBytes / totalBytes)) : 0, availableBytes };
}

function mean(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
