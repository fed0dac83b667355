/** `make test-durations`: saves the durations of the last run for fresh clones. Omits quick files. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { durationsFile, jobsOf, readDurations, root, slowSeconds } from './jobs.ts';

const total = readFileSync(join(root, 'build/reports/total'), 'utf8');
if (!total.includes(', 0 failed')) throw new Error(`The last run failed, so its durations are not saved: ${total}`);
const measured = readDurations(join(root, 'build/durations.json'));
const jobs = jobsOf([], {});
const inUse = new Set([
  ...jobs.flatMap(({ files }) => files),
  ...jobs.filter(({ files }) => files.length === 0).map(({ name }) => name),
]);
const kept = Object.entries(measured)
  .filter(([name, seconds]) => inUse.has(name) && seconds >= slowSeconds)
  .toSorted(([a], [b]) => (a < b ? -1 : 1))
  .map(([name, seconds]) => [name, Math.round(seconds)]);
writeFileSync(durationsFile, `${JSON.stringify(Object.fromEntries(kept), undefined, 2)}\n`);
