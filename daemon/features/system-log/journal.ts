/**
 * What the journal of systemd has of the hub's own unit and the hub can't say itself: that it was killed, why it was
 * started, what a crash left. The hub's own lines are in the journal as well; they are passed over.
 */

import { createJsonLineReader } from '../../lib/json-lines.ts';
import { entryOf, type LogEntry, type LogLevel, plainLine } from '../../lib/log.ts';
import { timing } from '../../timing.ts';

export interface Journal {
  /** What has come since the last time, and how far the journal is read then. */
  read(): { readonly entries: LogEntry[]; readonly cursor: string } | undefined;
  /** Ends the child at once: it has nothing to lose. */
  close(): void;
}

/** Where systemd doesn't run the hub. */
export const noJournal: Journal = { read: () => undefined, close: () => {} };

interface JournalOptions {
  /** What of the journal: `--unit=NAME`, in tests also where it lies. */
  readonly what: readonly string[];
  /** How far it was read before. */
  readonly cursor: string | undefined;
  /** Hears once why there is nothing to read, until there is again. */
  readonly onFault: (reason: string) => void;
  readonly firstWaitMs: number;
}

/** Of a hub that reads its journal for the first time. */
const firstLines = 200;
/** Entries that may wait; journalctl waits for the rest. */
const mostWaiting = 500;
const longestLine = 256 * 1024;
const longestText = 2000;
const fields = ['MESSAGE', 'PRIORITY', 'SYSLOG_IDENTIFIER'];

export function followJournal(options: JournalOptions): Journal {
  let { cursor } = options;
  let isNew = false;
  let entries: LogEntry[] = [];
  let isClosed = false;
  let child: ReturnType<typeof startReader> | undefined;
  let again: ReturnType<typeof setTimeout> | undefined;
  let waitMs = options.firstWaitMs;
  let isFaultTold = false;

  const take = (value: unknown) => {
    const record = value as Record<string, unknown>;
    const { __CURSOR: next } = record;
    if (typeof next !== 'string') return;
    cursor = next;
    isNew = true;
    waitMs = options.firstWaitMs;
    isFaultTold = false;
    const entry = asEntry(record);
    if (entry) entries.push(entry);
  };
  const run = async () => {
    child = startReader(options.what, cursor);
    const { stdout, stderr, exited } = child;
    const said = new Response(stderr).text();
    const reader = createJsonLineReader({
      maxBytes: longestLine,
      onValue: take,
      onFault: () => child?.kill('SIGKILL'),
    });
    for await (const chunk of stdout) {
      reader(chunk);
      while (entries.length >= mostWaiting && !isClosed) await Bun.sleep(roomMs);
    }
    const code = await exited;
    if (isClosed) return;
    if (!isFaultTold) options.onFault((await said).trim().slice(0, longestText) || `journalctl ended with ${code}`);
    isFaultTold = true;
    again = setTimeout(start, waitMs);
    again.unref();
    waitMs = Math.min(waitMs * 2, timing.journal.mostRetryMs);
  };
  const start = () => {
    run().catch((error: unknown) => options.onFault(String(error)));
  };
  start();
  return {
    read() {
      if (!isNew || cursor === undefined) return undefined;
      const taken = { entries, cursor };
      entries = [];
      isNew = false;
      return taken;
    },
    close() {
      isClosed = true;
      clearTimeout(again);
      child?.kill('SIGKILL');
    },
  };
}

/** How often it is looked whether somebody took what waits. */
const roomMs = 50;

/**
 * journalctl ends by itself when nobody reads its output any longer, also after the hub was killed. It is started without
 * a launcher: the ones of Debian set capabilities, which the service may not.
 */
function startReader(what: readonly string[], cursor: string | undefined) {
  const from = cursor === undefined ? [`--lines=${firstLines}`] : ['--no-tail', `--after-cursor=${cursor}`];
  return Bun.spawn(
    [
      ...['journalctl', '--output=json', '--follow', '--quiet'],
      ...[`--output-fields=${fields.join(',')}`, ...from, ...what],
    ],
    { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe', env: { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8' } },
  );
}

/** Levels of syslog. */
const levels: readonly LogLevel[] = ['error', 'error', 'error', 'error', 'warn', 'info', 'info', 'debug'];

function asEntry(record: Record<string, unknown>): LogEntry | undefined {
  const text = textOf(record.MESSAGE);
  // A line of ours has reached the log by a shorter way.
  if (text === undefined || entryOf(text)) return undefined;
  const name = String(record.SYSLOG_IDENTIFIER ?? '')
    .replace(/[^\w-]+/g, '')
    .slice(0, 40);
  return {
    time: Math.floor(Number(record.__REALTIME_TIMESTAMP) / 1000) || Date.now(),
    level: levels[Number(record.PRIORITY)] ?? 'info',
    scope: name === '' ? 'journal' : `journal/${name}`,
    text: plainLine(text).slice(0, longestText),
  };
}

/** What is no UTF-8 comes as a list of bytes, what is too long as nothing at all. */
function textOf(message: unknown): string | undefined {
  if (typeof message === 'string') return message;
  if (!Array.isArray(message)) return undefined;
  return Buffer.from(message.filter((byte) => Number.isInteger(byte))).toString('utf8');
}
