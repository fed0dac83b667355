import { median } from '../statistics.ts';
import type { FirstLoad } from './result.ts';
import type { Table } from './table.ts';

export function firstLoadTable(loads: readonly FirstLoad[]): Table {
  const rows = loads.map(({ what, runs }) => {
    const times = runs.map(({ ms }) => ms);
    return [
      what,
      median(times).toFixed(0),
      Math.max(...times).toFixed(0),
      String(median(runs.map(({ requests }) => requests))),
      (median(runs.map(({ bytes }) => bytes)) / 1000).toFixed(0),
      (Math.max(...runs.map(({ othersCpu }) => othersCpu)) * 100).toFixed(0),
    ];
  });
  return { head: ['', 'median ms', 'worst', 'requests', 'kB', 'others %'], words: 1, rows };
}
