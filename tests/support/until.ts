/** Waits for a condition. A timeout error shows the last value seen and the latest lines of every log. */
import { existsSync, readFileSync } from 'node:fs';

/** Long enough for a busy machine, but shorter than the limit of a test, which would fail without this error. */
export const usualMs = 20_000;
const longestPauseMs = 20;
const keptLines = 40;

const logs = new Map<object, { readonly name: string; readonly text: () => string }>();

/** Registers the log of a running process. Returns a function that removes it: `const forget = addLog(...)`. */
export function addLog(name: string, text: () => string): () => void {
  const key = {};
  logs.set(key, { name, text });
  return () => void logs.delete(key);
}

/** The log of the engine and its endpoints, relative to the data folder. */
export const engineLog = 'log/engine.log';

export function addLogFile(name: string, file: string): () => void {
  return addLog(name, () => (existsSync(file) ? readFileSync(file, 'utf8') : ''));
}

/** Resolves with the milliseconds until `holds` returned true. If `holds` throws, the wait ends with that error. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  withinMs: number = usualMs,
  what: string = sourceOf(holds),
): Promise<number> {
  const began = performance.now();
  await untilSeen(holds, (isTrue) => isTrue, withinMs, what);
  return performance.now() - began;
}

/** Like `until`, but resolves with the first value of `look` that `fits`. Throws with the last value on a timeout. */
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
