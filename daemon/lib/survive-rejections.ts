import type { Log } from './log.ts';

/** Logs unhandled rejections of background tasks; the process continues. */
export function surviveRejections(log: Log): void {
  process.on('unhandledRejection', (error) => {
    log.error('a background task failed', { error: error instanceof Error ? error.stack : String(error) });
  });
}
