/** The command line of the bench. */
import { parseArgs } from 'node:util';

export const rowIds = [
  'rtmp',
  'srt',
  'udp',
  'rtp',
  'across',
  'rtsp',
  'hls',
  'mixed',
  'preview',
  'join',
  'calm',
  'failover',
  'jump',
  'frozen',
  'idle',
  'log',
  'events',
  'upload',
  'console',
  'link',
  'fleet',
  'firewall',
  'ndi',
] as const;
export type RowId = (typeof rowIds)[number];

export interface Options {
  readonly isQuick: boolean;
  readonly only: readonly RowId[];
  readonly readers: readonly number[];
  /** Number of runs of the judged rows; the median counts. */
  readonly repeat: number;
  readonly name: string;
  /** Keeps the figures of the other suites under this name. */
  readonly isAdded: boolean;
  readonly isHelp: boolean;
}

export const help = `bun tests/bench/bench.ts [options]

  --quick          1 and 16 readers, short windows (12 minutes); else also 4 and 64 (under 40)
  --only <suites>  of ${rowIds.join(', ')}; several with commas
  --n <numbers>    readers, such as 1,16
  --repeat <k>     how often each number of readers runs; the median counts
  --name <name>    of the files in tests/bench/results; default "quick" or "full"
  --add            keep what the other suites found under this name, and judge it together
  --help

Ends with 0 when every target was met, 1 when one was missed, 2 when something could not be measured.
`;

/** Throws an error whose message tells the user what to do. */
export function readOptions(argv: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      n: { type: 'string' },
      repeat: { type: 'string' },
      name: { type: 'string' },
      add: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const isQuick = values.quick;
  return {
    isQuick,
    only: values.only === undefined ? rowIds : readRows(values.only),
    readers: values.n === undefined ? (isQuick ? [1, 16] : [1, 4, 16, 64]) : readNumbers(values.n, 64),
    repeat: values.repeat === undefined ? 2 : (readNumbers(values.repeat, 20)[0] ?? 1),
    name: readName(values.name ?? (isQuick ? 'quick' : 'full')),
    isAdded: values.add,
    isHelp: values.help,
  };
}

function readRows(text: string): RowId[] {
  return text.split(',').map((word) => {
    const row = rowIds.find((id) => id === word);
    if (row === undefined) throw new Error(`--only: there is no row "${word}"; there are ${rowIds.join(', ')}`);
    return row;
  });
}

function readNumbers(text: string, max: number): number[] {
  return text.split(',').map((word) => {
    const number = Number(word);
    if (!Number.isInteger(number) || number < 1 || number > max)
      throw new Error(`"${word}" is no number from 1 to ${max}`);
    return number;
  });
}

function readName(text: string): string {
  if (!/^[a-z0-9][a-z0-9.-]*$/i.test(text)) throw new Error(`--name: "${text}" is no file name`);
  return text;
}
