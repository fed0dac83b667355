import type { Log } from './log.ts';

/** A background task that failed, and whose failure nobody took, is told in the log; the process goes on with the rest. */
export function surviveRejections(log: Log): void {
  process.on('unhandledRejection', (error) => {
    log.error('a background task failed', { error: error instanceof Error ? error.stack : String(error) });
  });
}
