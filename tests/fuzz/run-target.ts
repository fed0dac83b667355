/**
 * Runs one target in its own process, which the caller kills if an input does not return. `campaign.ts` passes the
 * arguments.
 */
import { openSync, writeSync } from 'node:fs';
import { type FuzzTarget, inputAt, type RunningTarget } from './target.ts';
import { targetNamed } from './targets.ts';

/** CPU time of the event loop for one input. */
const cpuLimitMs = 50;
const heldLimitBytes = 48 << 20;
const processLimitBytes = 1 << 30;
/** Inputs between memory checks, because a check takes longer than most inputs. */
const lookEvery = 50;

const [name = '', seedText = '', firstText = '', lastText = '', progressPath = ''] = process.argv.slice(2);
const [seed, first, last] = [Number(seedText), Number(firstText), Number(lastText)];
const progress = openSync(progressPath, 'w');

async function run(target: FuzzTarget): Promise<void> {
  const corpus = target.corpus();
  const running = await target.start();
  const baseline = heldBytes();
  for (let iteration = first; iteration < last; iteration++) {
    writeSync(progress, String(iteration).padEnd(12), 0);
    const held = await feedOnce(running, corpus, iteration);
    if (iteration % lookEvery !== lookEvery - 1 && iteration !== last - 1) continue;
    await running.check?.();
    const { rss } = process.memoryUsage();
    const more = heldBytes() - baseline;
    if (more > heldLimitBytes) throw new Error(`memory grew by ${more >> 20} MB since the start`);
    if (rss > processLimitBytes) throw new Error(`the process uses ${rss >> 20} MB of memory`);
    keep(held);
  }
  await running.close?.();
}

/** Tries a slow input up to three times, because the compiler or the garbage collector may have caused the delay. */
async function feedOnce(running: RunningTarget, corpus: readonly Uint8Array[], iteration: number): Promise<unknown> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 3; attempt++) {
    const { input, random } = inputAt(corpus, seed, iteration);
    const before = process.threadCpuUsage();
    const result = running.feed(input, random);
    const { user, system } = process.threadCpuUsage(before);
    const held = await result;
    least = Math.min(least, (user + system) / 1000);
    if (least <= cpuLimitMs) return held;
  }
  throw new Error(`took ${least.toFixed(0)} ms of event-loop time (limit ${cpuLimitMs} ms)`);
}

function heldBytes(): number {
  Bun.gc(true);
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Keeps a value reachable until this call, so that it counts as held memory. */
function keep(_held: unknown): void {}

process.on('uncaughtException', fail);
process.on('unhandledRejection', fail);
function fail(error: unknown): void {
  console.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exit(1);
}

await run(targetNamed(name)).catch(fail);
process.exit(0);
