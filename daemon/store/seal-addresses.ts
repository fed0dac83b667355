/** Older hubs kept stream ids, the queries of URLs and the address of the webhook in the clear. */
import { eq } from 'drizzle-orm';
import type { Log } from '../lib/log.ts';
import type { Database } from './database.ts';
import { alarmWebhook, inputs, outputs, presets } from './schema.ts';
import type { Secrets } from './secrets.ts';
import { isClearUrl, resealed, sealUrl } from './stored-address.ts';

/** Seals what lies in the clear in addresses, and takes it out of the file. A migration has no key to do it with. */
export function sealAddresses(db: Database, secrets: Secrets, log: Log): void {
  let count = 0;
  // Overwrites what a change replaces, which needs no room on the disk as VACUUM does.
  db.$client.run('PRAGMA secure_delete = ON');
  db.transaction((tx) => {
    for (const table of [inputs, outputs, presets]) {
      const { id, protocol, config, secret } = table;
      for (const row of tx.select({ id, protocol, config, secret }).from(table).all()) {
        const next = resealed(secrets, row);
        if (next === undefined) continue;
        tx.update(table).set(next).where(eq(id, row.id)).run();
        count++;
      }
    }
    const hook = tx.select().from(alarmWebhook).get();
    if (!hook || !isClearUrl(hook.url)) return;
    tx.update(alarmWebhook)
      .set({ url: sealUrl(secrets, hook.url) })
      .run();
    count++;
  });
  if (count === 0) return;
  try {
    // Free pages and the journal may hold copies from earlier changes.
    db.$client.run('VACUUM');
    db.$client.run('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch (error) {
    log.warn('the database could not be compacted; its free space may hold old addresses', { reason: String(error) });
  }
}
