/** Many channels with outputs of every kind, as tables. */
import type { Usage } from '../measure.ts';
import type { MixedResult } from './result.ts';
import type { Table } from './table.ts';

const mebibyte = 1024 * 1024;

/** For the media path; the hub may be down. */
export function mediaUsage({ parts }: Usage): { readonly cpu: number; readonly pssBytes: number } {
  const media = Object.entries(parts).flatMap(([name, part]) => (name === 'hub' ? [] : [part]));
  const sum = (figure: (part: (typeof media)[number]) => number): number =>
    media.reduce((total, part) => total + figure(part), 0);
  return { cpu: sum(({ cpu }) => cpu), pssBytes: sum(({ pssBytes }) => pssBytes) };
}

export function mixedTable({ subjects }: MixedResult): Table {
  const ours = subjects.find(({ isOurs }) => isOurs);
  const own = ours && mediaUsage(ours);
  const rows = subjects.map((subject) => {
    const { cpu, pssBytes } = mediaUsage(subject);
    const times = (ratio: number): string => (own === undefined || subject.isOurs ? '' : `${ratio.toFixed(2)} ×`);
    return [
      subject.label,
      Object.entries(subject.parts)
        .filter(([, part]) => part.cpu > 0)
        .map(([name, part]) => `${name} ${part.cpu.toFixed(3)}`)
        .join(', '),
      cpu.toFixed(3),
      times((own?.cpu ?? 0) / cpu),
      (pssBytes / mebibyte).toFixed(0),
      times((own?.pssBytes ?? 0) / pssBytes),
      (subject.othersCpu * 100).toFixed(0),
    ];
  });
  const head = ['', 'of which', 'CPU s / stream s', 'ours is', 'MB', 'ours is', 'others %'];
  return { head, words: 2, rows };
}

export function mixedReadersTable({ subjects }: MixedResult): Table {
  const rows = subjects.flatMap(({ label, readers }) =>
    readers.map((of) => [
      label,
      of.kind,
      of.kbpsEach.toFixed(0),
      (of.leastShare * 100).toFixed(1),
      String(of.lost),
      String(of.faults),
      String(of.failed),
      of.p50Ms.toFixed(1),
      of.p99Ms.toFixed(1),
    ]),
  );
  const head = ['', 'to', 'kb/s each', 'least frames %', 'lost', 'faults', 'failed', 'p50 ms', 'p99 ms'];
  return { head, words: 2, rows };
}
