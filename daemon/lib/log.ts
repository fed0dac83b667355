/** Log lines: time, level, scope chain, message, key=value. The caller must omit secrets. */

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Returns a log whose scope has one more word. */
  in(scope: string): Log;
}

/** The parts of a log line. */
export interface LogEntry {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly level: LogLevel;
  /** Words separated by slashes, such as `hub/http`. */
  readonly scope: string;
  readonly text: string;
}

/** Passes entries to a listener that is attached later, and buffers the first ones until then. */
export interface LogListener {
  add(entry: LogEntry): void;
  /** Passes the buffered entries, then every new one; undefined detaches. */
  attach(listener: ((entry: LogEntry) => void) | undefined): void;
}

const maxKept = 500;

export function createLogListener(): LogListener {
  let listener: ((entry: LogEntry) => void) | undefined;
  const kept: LogEntry[] = [];
  return {
    add(entry) {
      if (listener) listener(entry);
      else if (kept.length < maxKept) kept.push(entry);
    },
    attach(next) {
      listener = next;
      if (next) for (const entry of kept.splice(0)) next(entry);
    },
  };
}

export type LogSink = (line: string, entry: LogEntry) => void;

export function createLog(level: LogLevel, sink: LogSink = writeToStderr, scope = ''): Log {
  const threshold = logLevels.indexOf(level);
  const at = (lineLevel: LogLevel) => (message: string, fields?: LogFields) => {
    if (logLevels.indexOf(lineLevel) < threshold) return;
    const entry = { time: Date.now(), level: lineLevel, scope, text: withFields(message, fields) };
    sink(lineOf(entry), entry);
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    in: (inner) => createLog(level, sink, scope ? `${scope}/${inner}` : inner),
  };
}

export function lineOf({ time, level, scope, text }: LogEntry): string {
  return `${new Date(time).toISOString()} ${level.padEnd(5)} ${scope}: ${text}`;
}

const ownLine = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) (debug|info|warn|error) +([\w/-]*): (.*)$/;

/** Parses a line in our format; undefined for a line from another source. */
export function entryOf(line: string): LogEntry | undefined {
  const [, time = '', level, scope = '', text = ''] = ownLine.exec(line) ?? [];
  if (level === undefined) return undefined;
  return { time: Date.parse(time), level: level as LogLevel, scope, text };
}

/** Returns the message with its fields as `key=value`, in one line. */
export function withFields(message: string, fields?: LogFields): string {
  let line = oneLine(message);
  for (const [key, value] of Object.entries(fields ?? {})) {
    if (value === undefined) continue;
    const text = oneLine(String(value));
    line += ` ${key}=${/[\s"=]/.test(text) || text === '' ? JSON.stringify(text) : text}`;
  }
  return line;
}

/** Control characters, other line terminators, and characters that change the text direction. */
const unprintable = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** Peers choose parts of the logged text: it must not be able to imitate a log line or control the terminal. */
export function plainLine(text: string): string {
  return text.replace(unprintable, ' ');
}

function oneLine(text: string): string {
  return plainLine(text).slice(0, 2000);
}

export function writeToStderr(line: string): void {
  process.stderr.write(`${line}\n`);
}
