/** Waits for a condition. What doesn't come in time is told with what was seen last and the latest lines of every log. */
import { existsSync, readFileSync } from 'node:fs';

/** Enough for a machine that does other work beside, and below the limit of a test, which would say nothing. */
export const usualMs = 20_000;
const longestPauseMs = 20;
const keptLines = 40;

const logs = new Map<object, { readonly name: string; readonly text: () => string }>();

/** A process that runs registers its log, and takes it back when it ends: `const forget = addLog(...)`. */
export function addLog(name: string, text: () => string): () => void {
  const key = {};
  logs.set(key, { name, text });
  return () => void logs.delete(key);
}

/** Of the engine and its endpoints, in the data folder. */
export const engineLog = 'log/engine.log';

export function addLogFile(name: string, file: string): () => void {
  return addLog(name, () => (existsSync(file) ? readFileSync(file, 'utf8') : ''));
}

/** Resolves with the milliseconds that it took until `holds` returned true. What it throws ends the wait at once. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  withinMs: number = usualMs,
  what: string = sourceOf(holds),
): Promise<number> {
  const began = performance.now();
  await untilSeen(holds, (isTrue) => isTrue, withinMs, what);
  return performance.now() - began;
}

/** The same for a look that returns a thing: resolves with the first that `fits`, else tells which came last. */
export async function untilSeen<T>(
  look: () => T | Promise<T>,
  fits: (seen: T) => boolean,
  withinMs: number = usualMs,
  what: string = sourceOf(fits),
): Promise<T> {
  const began = performance.now();
  for (let pauseMs = 1; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
    const seen = await look();
    if (fits(seen)) return seen;
    const passed = Math.round(performance.now() - began);
    if (passed > withinMs) throw new Error(`not within ${passed} ms: ${what}${lastSeen(seen)}${latestLogs()}`);
    await Bun.sleep(pauseMs);
  }
}

function sourceOf(code: (...args: never[]) => unknown): string {
  return code.toString().replaceAll(/\s+/g, ' ');
}

function lastSeen(seen: unknown): string {
  if (seen === false) return '';
  return `\nseen last: ${Bun.inspect(seen, { depth: 5 })}`;
}

function latestLogs(): string {
  return [...logs.values()]
    .map(({ name, text }) => `\n── ${name}\n${text().trimEnd().split('\n').slice(-keptLines).join('\n')}`)
    .join('');
}
