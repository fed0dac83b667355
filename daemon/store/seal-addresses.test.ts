import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../lib/log.ts';
import { closeDatabase, openDatabase } from './database.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations/list.ts';
import { alarmWebhook, inputs, presets } from './schema.ts';
import { sealAddresses } from './seal-addresses.ts';
import { openSecrets } from './secrets.ts';
import { openAddress, openUrl } from './stored-address.ts';

const folder = mkdtempSync(join(tmpdir(), 'signalbox-seal-'));
afterAll(() => rmSync(folder, { recursive: true }));
const lines: string[] = [];
const log = createLog('warn', (line) => lines.push(line));
const secrets = openSecrets(join(folder, 'key'));
const db = openDatabase(join(folder, 'hub.sqlite'));
migrate(db, { migrations, backupDir: null, log });

const pulled = {
  protocol: 'http',
  url: 'http://a.example/live.ts?token=hidden-token',
  auth: true,
  username: 'me',
  bufferMs: 200,
};
const called = { protocol: 'srt', mode: 'caller', host: 'a.example', port: 9000, streamId: 'hidden-id', keyLength: 0 };
const row = { name: 'A', createdAt: 0 };

function fileHas(text: string): boolean {
  const files = readdirSync(folder).filter((name) => name.startsWith('hub.sqlite'));
  return files.some((name) => readFileSync(join(folder, name), 'latin1').includes(text));
}

test('addresses that older hubs stored in plain text are sealed, and gone from the file', () => {
  const login = secrets.seal(JSON.stringify({ password: 'hidden-word' }));
  db.insert(inputs)
    .values({ ...row, protocol: 32, config: JSON.stringify(pulled), secret: login })
    .run();
  db.insert(presets)
    .values({ ...row, dir: 512, protocol: 2, config: JSON.stringify(called), secret: null })
    .run();
  const hook = { id: 1, enabled: true, url: 'https://a.example/hidden-path', secret: null, dropped: 0, last: null };
  db.insert(alarmWebhook).values(hook).run();
  sealAddresses(db, secrets, log);
  expect(openUrl(secrets, db.select().from(alarmWebhook).get()!.url)).toBe(hook.url);
  const [input, preset] = [db.select().from(inputs).get()!, db.select().from(presets).get()!];
  const { auth: _, ...opened } = pulled;
  expect(openAddress(secrets, input)).toEqual({ ...opened, password: 'hidden-word' } as never);
  expect(openAddress(secrets, preset)).toMatchObject({ ...called, passphrase: '' } as never);
  expect(input.revision).toBe(1);
  expect(fileHas('hidden')).toBe(false);
  sealAddresses(db, secrets, log);
  expect(db.select().from(inputs).get()).toEqual(input);
});

test('if the file cannot be compacted, the hub starts anyway and the plain text is gone', () => {
  const config = JSON.stringify({ ...pulled, url: 'http://a.example/?token=covert' });
  for (let n = 0; n < 40; n++) {
    db.insert(inputs)
      .values({ ...row, name: `B${n}`, protocol: 32, config })
      .run();
  }
  db.$client.run('PRAGMA wal_checkpoint(TRUNCATE)');
  expect(fileHas('covert')).toBe(true);
  // A running statement prevents VACUUM.
  const reading = db.$client.query('SELECT name FROM inputs').iterate();
  reading.next();
  sealAddresses(db, secrets, log);
  reading.return?.();
  expect(lines.join()).toContain('could not be compacted');
  db.$client.run('PRAGMA wal_checkpoint(TRUNCATE)');
  expect(fileHas('covert')).toBe(false);
});

test('addresses sealed with another key stay unchanged', () => {
  const before = db.select().from(inputs).get();
  sealAddresses(db, openSecrets(join(folder, 'other-key')), log);
  expect(db.select().from(inputs).get()).toEqual(before);
  closeDatabase(db);
});
