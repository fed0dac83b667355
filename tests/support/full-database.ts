/** An in-memory database that cannot allocate more pages, like one on a full disk. */
import type { Database } from '../../daemon/store/database.ts';

/** `write` fills the allocated pages: it is called until it throws. Returns a function that makes room again. */
export function fillDatabase({ $client }: Database, write: () => void): () => void {
  const { page_count: pages } = $client.query<{ page_count: number }, []>('PRAGMA page_count').get() ?? {
    page_count: 0,
  };
  $client.run(`PRAGMA max_page_count = ${pages}`);
  for (;;) {
    try {
      write();
    } catch {
      return () => $client.run('PRAGMA max_page_count = 1000000');
    }
  }
}
