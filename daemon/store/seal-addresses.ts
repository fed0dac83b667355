/** Older hubs stored secrets of addresses, and the URL of the webhook, in clear text, and other member names. */
import { eq } from 'drizzle-orm';
import type { Log } from '../lib/log.ts';
import type { Database } from './database.ts';
import { alarmWebhook, inputs, outputs, presets } from './schema.ts';
import type { Secrets } from './secrets.ts';
import { isClearUrl, resealed, sealUrl } from './stored-address.ts';

/** Seals secrets in addresses that are stored in clear text, and erases them from the file. Migrations have no key. */
export function sealAddresses(db: Database, secrets: Secrets, log: Log): void {
  let count = 0;
  // Overwrites replaced data, which, unlike VACUUM, needs no space on the disk.
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
    // Free pages and the journal may contain copies from earlier changes.
    db.$client.run('VACUUM');
    db.$client.run('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch (error) {
    log.warn('the database could not be compacted; its free space may hold old addresses', { reason: String(error) });
  }
}
