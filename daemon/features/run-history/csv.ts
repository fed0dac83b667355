import type { RunEvent } from '../../contract/run-history.ts';
import { csvLine } from '../../lib/csv.ts';

export const runHead = csvLine(['Time', 'Part', 'Name', 'From', 'To', 'Reason', 'After (ms)', 'By']);

export function runLine({ time, what, name, from, to, reason = '', 'after-ms': after, by = '' }: RunEvent): string {
  return csvLine([new Date(time).toISOString(), what, name, from, to, reason, String(after ?? ''), by]);
}
