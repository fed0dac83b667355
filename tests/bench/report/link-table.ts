import type { LinkResult } from './result.ts';
import type { Table } from './table.ts';

export function linkTable({ paths }: LinkResult): Table {
  const rows = paths.map(({ name, ...path }) => [
    name,
    (path.bytesPerSecond / 1e6).toFixed(0),
    path.cpuSecondsPerGb.toFixed(2),
    path.singleP50Ms.toFixed(3),
    path.manyPerSecond.toFixed(0),
    path.manyP99Ms.toFixed(1),
    path.cpuMicrosecondsPerRequest.toFixed(0),
  ]);
  const head = [
    '',
    '200 MB: MB/s',
    'CPU s / GB',
    '1 connection: p50 ms',
    '100: requests/s',
    'p99 ms',
    'CPU µs / request',
  ];
  return { head, words: 1, rows };
}
