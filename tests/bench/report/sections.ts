/** The sections of the report, in order, for the terminal and for the file. The targets come first. */
import { eventsTable } from './events-table.ts';
import { firstLoadTable } from './first-load-table.ts';
import { judge } from './judge.ts';
import { linkTable } from './link-table.ts';
import { logTable, scrollTable } from './logs-table.ts';
import { mixedReadersTable, mixedTable } from './mixed-table.ts';
import { previewTable } from './preview-table.ts';
import type { BenchResult, EventsResult, LogsResult, MixedResult, RowResult, UploadResult } from './result.ts';
import {
  frozenTable,
  idleTable,
  partsTable,
  rowTable,
  startTable,
  type Table,
  timingTable,
  verdictTable,
} from './table.ts';
import { uploadTable } from './upload-table.ts';

export interface Section {
  readonly title: string;
  readonly text?: string;
  readonly tables?: readonly Table[];
}

export function sections(result: BenchResult): Section[] {
  const { rows, mixed, preview, timings, frozen, idle, logs, events, upload, console, link, problems } = result;
  return [
    { title: 'Targets', tables: [verdictTable(judge(result))] },
    ...(problems.length === 0
      ? []
      : [{ title: 'Not measured', text: problems.map((problem) => `- ${problem}`).join('\n') }]),
    ...rows.map((row) => ({ title: row.row.title, text: floorText(row), tables: [rowTable(row)] })),
    ...(rows.length === 0 ? [] : [{ title: 'Where our CPU goes', tables: [partsTable(rows)] }]),
    ...(mixed === undefined
      ? []
      : [
          {
            title: mixedTitle(mixed),
            tables: [mixedTable(mixed), mixedReadersTable(mixed)],
          },
        ]),
    ...(preview === undefined ? [] : [{ title: 'Thumbnails of one channel', tables: [previewTable(preview)] }]),
    ...(frozen === undefined
      ? []
      : [{ title: `${frozen.players} RTMP players that stop reading`, tables: [frozenTable(frozen)] }]),
    ...(timings.length === 0 ? [] : [{ title: 'Times', tables: [timingTable(timings)] }]),
    ...(logs === undefined ? [] : logSections(logs)),
    ...(events === undefined ? [] : [{ title: eventsTitle(events), tables: [eventsTable(events)] }]),
    ...(upload === undefined ? [] : [uploadSection(upload)]),
    ...(link === undefined ? [] : [{ title: 'A port of a device through its link', tables: [linkTable(link)] }]),
    ...(console === undefined ? [] : [{ title: 'First load of the console', tables: [firstLoadTable(console)] }]),
    ...(idle === undefined ? [] : [{ title: 'At rest', tables: [idleTable(idle), startTable(idle)] }]),
  ];
}

function logSections({ entries, lines, operations, system, scroll }: LogsResult): Section[] {
  return [
    { title: `Operation log of ${entries} entries`, tables: [logTable(operations)] },
    { title: `System log of ${lines} lines`, tables: [logTable(system)] },
    ...(scroll === undefined ? [] : [{ title: 'The operation log scrolls', tables: [scrollTable(scroll)] }]),
  ];
}

function uploadSection(upload: UploadResult): Section {
  return {
    title: `A file of ${upload.bytes / 1e6} MB`,
    text: `The longest answer to another request while it arrives: ${upload.longestAnswerMs.toFixed(0)} ms.`,
    tables: [uploadTable(upload)],
  };
}

function eventsTitle({ objects, objectBytes, changesPerSecond, listeners }: EventsResult): string {
  const kilobytes = objectBytes / 1000;
  return `${objects} objects of ${kilobytes} KB, ${listeners} event streams, ${changesPerSecond} changes a second`;
}

function mixedTitle({ channels, subjects }: MixedResult): string {
  const kinds = subjects[0]?.readers.map(({ kind }) => kind) ?? [];
  return `${channels} channels × ${kinds.length} outputs: RTMP in, ${kinds.join(', ')} out`;
}

function floorText({ floorMs }: RowResult): string {
  return floorMs === 0
    ? 'Latency is the whole way from sender to reader.'
    : `Latency is on top of ${floorMs.toFixed(2)} ms, which the protocols took without a relay in the same run.`;
}
