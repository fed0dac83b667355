import type { Connection } from './route.ts';

/** Idle timeout of a connection between requests, seconds; Bun's default. */
export const idleSeconds = 10;

/** Disables the idle timeout of a connection while `work` runs. The connection stays open for other requests. */
export async function keepOpenDuring<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  connection.keepOpen();
  try {
    return await work();
  } finally {
    connection.keepOpen(idleSeconds);
  }
}
