import type { UploadResult } from './result.ts';
import type { Table } from './table.ts';

export function uploadTable({ bytes, transfers }: UploadResult): Table {
  const rows = transfers.map(({ what, isOurs, seconds, cpuSeconds, growthBytes, othersCpu }) => {
    const peer = isOurs ? transfers.find((one) => !one.isOurs && one.what === what) : undefined;
    return [
      what,
      isOurs ? 'Signalbox' : 'nginx',
      seconds.toFixed(2),
      peer === undefined ? '' : (seconds / peer.seconds).toFixed(2),
      what === 'refused' ? '' : (bytes / 1e6 / seconds).toFixed(0),
      cpuSeconds.toFixed(2),
      (growthBytes / 1024 / 1024).toFixed(1),
      (othersCpu * 100).toFixed(0),
    ];
  });
  const head = ['', 'by', 'seconds', 'ratio', 'MB/s', 'CPU seconds', 'growth of memory, MB', 'others %'];
  return { head, words: 2, rows };
}
