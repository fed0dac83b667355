/** Log lines: time, level, scope chain, message, key=value. Secrets are the caller's duty to leave out; see mask.ts. */

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A log whose lines carry one more word of scope. */
  in(scope: string): Log;
}

export type LogSink = (line: string) => void;

export function createLog(level: LogLevel, sink: LogSink = writeToStderr, scope = ''): Log {
  const threshold = logLevels.indexOf(level);
  const at = (lineLevel: LogLevel) => (message: string, fields?: LogFields) => {
    if (logLevels.indexOf(lineLevel) < threshold) return;
    sink(format(lineLevel, scope, message, fields));
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    in: (inner) => createLog(level, sink, scope ? `${scope}/${inner}` : inner),
  };
}

function format(level: LogLevel, scope: string, message: string, fields?: LogFields): string {
  return `${new Date().toISOString()} ${level.padEnd(5)} ${scope}: ${withFields(message, fields)}`;
}

/** The message with its fields as `key=value`, in one line. */
export function withFields(message: string, fields?: LogFields): string {
  let line = oneLine(message);
  for (const [key, value] of Object.entries(fields ?? {})) {
    if (value === undefined) continue;
    const text = oneLine(String(value));
    line += ` ${key}=${/[\s"=]/.test(text) || text === '' ? JSON.stringify(text) : text}`;
  }
  return line;
}

/** A peer chooses some of the text that is logged: no line of it may look like a line of ours. */
function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
  return text.replace(/[\u0000-\u001f\u007f]+/g, ' ').slice(0, 2000);
}

function writeToStderr(line: string): void {
  process.stderr.write(`${line}\n`);
}
