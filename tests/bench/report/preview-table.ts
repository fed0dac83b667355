import type { PreviewResult } from './result.ts';
import type { Table } from './table.ts';

export function previewTable({ points, seconds }: PreviewResult): Table {
  const share = (cpu: number | undefined): string => (cpu ?? 0).toFixed(4);
  const rows = points.map(({ lookers, parts, makers, leastPictures, othersCpu }, i) => [
    lookers === 0 ? (i === 0 ? 'before anybody looks' : 'when nobody looks any more') : `${lookers} looking`,
    String(makers),
    share(parts.ffmpeg?.cpu),
    share(parts.engine?.cpu),
    share(parts.hub?.cpu),
    leastPictures === undefined ? '' : (leastPictures / seconds).toFixed(2),
    (othersCpu * 100).toFixed(0),
  ]);
  const head = ['', 'FFmpegs', 'CPU: FFmpeg', 'engine', 'hub', 'pictures / s, least', 'others %'];
  return { head, words: 1, rows };
}
