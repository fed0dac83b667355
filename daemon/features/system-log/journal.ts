/**
 * Entries in the systemd journal about the hub's own unit that the hub cannot write itself: that it was killed, why it
 * was started, the output of a crash. The hub's own lines are also in the journal; they are skipped.
 */

import { createJsonLineReader } from '../../ipc/json-lines.ts';
import { entryOf, type LogEntry, type LogLevel, plainLine } from '../../lib/log.ts';
import { timing } from '../../timing.ts';

export interface Journal {
  /** Returns new entries since the last call, and the new journal position. */
  read(): { readonly entries: LogEntry[]; readonly cursor: string } | undefined;
  /** Kills the child process immediately: it has no state to lose. */
  close(): void;
}

/** Used if systemd does not run the hub. */
export const noJournal: Journal = { read: () => undefined, close: () => {} };

interface JournalOptions {
  /** Journal selection: `--unit=NAME`, in tests also the location. */
  readonly what: readonly string[];
  /** Journal position of the last read. */
  readonly cursor: string | undefined;
  /** Called once when there is nothing to read, with the reason, until reading works again. */
  readonly onFault: (reason: string) => void;
  readonly firstWaitMs: number;
}

/** When the journal is read for the first time. */
const firstLines = 200;
/** Maximum number of queued entries; journalctl blocks beyond it. */
const maxWaiting = 500;
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
  let isFaultReported = false;

  const take = (value: unknown) => {
    const record = value as Record<string, unknown>;
    const { __CURSOR: next } = record;
    if (typeof next !== 'string') return;
    cursor = next;
    isNew = true;
    waitMs = options.firstWaitMs;
    isFaultReported = false;
    const entry = asEntry(record);
    if (entry) entries.push(entry);
  };
  const run = async () => {
    child = startReader(options.what, cursor);
    const { stdout, stderr, exited } = child;
    const errors = new Response(stderr).text();
    const reader = createJsonLineReader({
      maxBytes: longestLine,
      onValue: take,
      onFault: () => child?.kill('SIGKILL'),
    });
    for await (const chunk of stdout) {
      reader(chunk);
      while (entries.length >= maxWaiting && !isClosed) await Bun.sleep(roomMs);
    }
    const code = await exited;
    if (isClosed) return;
    if (!isFaultReported)
      options.onFault((await errors).trim().slice(0, longestText) || `journalctl ended with ${code}`);
    isFaultReported = true;
    again = setTimeout(start, waitMs);
    again.unref();
    waitMs = Math.min(waitMs * 2, timing.journal.maxRetryMs);
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

/** Interval at which a full queue is checked for space. */
const roomMs = 50;

/**
 * journalctl exits when its output is no longer read, also after the hub was killed. It is started without a launcher:
 * those of Debian set capabilities, which the service may not.
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

/** Syslog levels. */
const levels: readonly LogLevel[] = ['error', 'error', 'error', 'error', 'warn', 'info', 'info', 'debug'];

function asEntry(record: Record<string, unknown>): LogEntry | undefined {
  const text = textOf(record.MESSAGE);
  // Our own lines reach the log directly.
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

/** Text that is not UTF-8 arrives as an array of bytes; text that is too long is absent. */
function textOf(message: unknown): string | undefined {
  if (typeof message === 'string') return message;
  if (!Array.isArray(message)) return undefined;
  return Buffer.from(message.filter((byte) => Number.isInteger(byte))).toString('utf8');
}
