/** A log whose lines are also sent to the hub. */
import { type Log, type LogFields, withFields } from '../lib/log.ts';

type ShownLevel = 'info' | 'warn' | 'error';

export function logToHub(inner: Log, send: (level: ShownLevel, text: string) => void): Log {
  const shown = (level: ShownLevel) => (message: string, fields?: LogFields) => {
    inner[level](message, fields);
    send(level, withFields(message, fields));
  };
  return {
    debug: inner.debug,
    info: shown('info'),
    warn: shown('warn'),
    error: shown('error'),
    in: (scope) => logToHub(inner.in(scope), send),
  };
}
