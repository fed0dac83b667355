/** Makes an example out of a recorded call: without secrets, addresses, times and long lists. */
import type { Example } from './describe-api.ts';

const shownItems = 2;
/** Stands for the ports that the test leased. */
const port = 9000;
/** Any moment, in seconds. */
const moment = 1_790_000_000;

/** What stands for a value in the examples. */
export type Replacements = ReadonlyMap<string, string>;

export function exampleOf(call: Example, replacements: Replacements): Example {
  return JSON.parse(JSON.stringify(call), (name, value) => {
    if (Array.isArray(value)) return value.slice(0, shownItems);
    if (typeof value === 'string') return withoutDigests(replaced(value, replacements));
    return typeof value === 'number' ? number(name, value, replacements) : value;
  }) as Example;
}

function replaced(text: string, replacements: Replacements): string {
  let next = text;
  for (const [from, to] of replacements) next = next.replaceAll(from, to);
  return next.replaceAll(/\b(127\.0\.0\.1):\d{5}\b/g, `$1:${port}`);
}

/** Salts, nonces, digests, ids of sessions and the strings that open them. */
function withoutDigests(text: string): string {
  return text
    .replaceAll(/\b[A-Z]{32}\b/g, 'YOURSESSIONSTRINGYOURSESSIONSTRI')
    .replaceAll(/\b(?:[0-9a-f]{64}|[0-9a-f]{32}|[0-9a-f]{16})\b/g, (digest) =>
      '0123456789abcdef'.repeat(digest.length / 16),
    );
}

function number(name: string, value: number, replacements: Replacements): number {
  const milliseconds = value / 1000;
  if (milliseconds > 1.6e9 && milliseconds < 2.2e9) return moment * 1000;
  if (name === 'date-time') return moment;
  if (name === 'port' && value > 10_000) return port;
  const other = replacements.get(String(value));
  if (other !== undefined) return Number(other);
  return Number.isInteger(value) ? value : Math.round(value * 10) / 10;
}
