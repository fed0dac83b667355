import type { EventsResult } from './result.ts';
import type { Table } from './table.ts';

const megabytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);

export function eventsTable({ subjects }: EventsResult): Table {
  const rows = subjects.map((subject) => [
    subject.kind === 'hub' ? 'Signalbox' : 'each change to each listener',
    (subject.cpu * 100).toFixed(1),
    megabytes(subject.emptyBytes),
    megabytes(subject.readBytes),
    megabytes(subject.unreadBytes),
    (subject.leastBytesPerSecond / 1000).toFixed(0),
    (subject.othersCpu * 100).toFixed(0),
  ]);
  const head = ['', 'CPU %', 'MB without listeners', 'with', 'and as many that do not read', 'kB/s each', 'others %'];
  return { head, words: 1, rows };
}
