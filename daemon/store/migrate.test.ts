import { afterEach, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readGroup } from '../features/settings/store.ts';
import { createLog } from '../lib/log.ts';
import { closeDatabase, openDatabase, transaction } from './database.ts';
import { databaseVersion, type Migration, migrate, NewerDatabaseError } from './migrate.ts';
import { outgoing } from './migrations/0014-outgoing.ts';
import { reasonProgram } from './migrations/0018-reason-program.ts';
import { alarmTargets as alarmTargetsMigration } from './migrations/0025-alarm-targets.ts';
import { migrations } from './migrations/list.ts';
import { alarmDeliveries, alarmTargets, runEvents, userGroups, users } from './schema.ts';

const log = createLog('error', () => {});
const dirs: string[] = [];

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-migrate-'));
  dirs.push(dir);
  return dir;
}

afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true });
});

function schemaOf(db: ReturnType<typeof openDatabase>): unknown {
  return db.$client.query('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all();
}

test('migrations are numbered from 1 without gaps', () => {
  expect(migrations.map((migration) => migration.version)).toEqual(migrations.map((_, i) => i + 1));
});

for (let version = 0; version < migrations.length; version++) {
  test(`a database of version ${version} is upgraded to the newest one`, () => {
    const old = openDatabase(':memory:');
    migrate(old, { migrations: migrations.slice(0, version), backupDir: null, log });
    expect(databaseVersion(old)).toBe(version);
    migrate(old, { migrations, backupDir: null, log });
    const fresh = openDatabase(':memory:');
    migrate(fresh, { migrations, backupDir: null, log });
    expect(schemaOf(old)).toEqual(schemaOf(fresh));
    expect(databaseVersion(old)).toBe(migrations.length);
  });
}

test('the first start creates the built-in groups and the root user without a password', () => {
  const db = openDatabase(':memory:');
  migrate(db, { migrations, backupDir: null, log });
  const groups = db.select().from(userGroups).all();
  expect(groups.map(({ id, name, type, permissionMask }) => ({ id, name, type, permissionMask }))).toEqual([
    { id: 1, name: 'Admin', type: 1, permissionMask: 0xffffffff },
    { id: 2, name: 'User', type: 2, permissionMask: 57183 },
    { id: 4, name: 'Viewer', type: 4, permissionMask: 83269 },
  ]);
  expect(db.select({ id: users.id, name: users.name, hash: users.passwordHash }).from(users).all()).toEqual([
    { id: 1, name: 'Admin', hash: null },
  ]);
});

test('a webhook that was set before private addresses were refused still reaches them', () => {
  const settingOf = (url: string): unknown => {
    const db = openDatabase(':memory:');
    migrate(db, { migrations: migrations.slice(0, outgoing.version - 1), backupDir: null, log });
    db.$client.run('INSERT INTO alarm_webhook (id, enabled, url, dropped) VALUES (1, 1, ?, 0)', [url]);
    migrate(db, { migrations, backupDir: null, log });
    return readGroup(db, 'outgoing');
  };
  expect(settingOf('http://alarms.lan/hook')).toEqual({ privateMedia: true, privateWebhook: true });
  expect(settingOf('')).toBeUndefined();
});

test('mails about alarms that wait, and outcomes of the webhook, are kept when both get one queue', () => {
  const db = openDatabase(':memory:');
  migrate(db, { migrations: migrations.slice(0, alarmTargetsMigration.version - 1), backupDir: null, log });
  const last = { ok: true, status: 204, time: 5000 };
  db.$client.run('INSERT INTO alarm_webhook (id, enabled, url, dropped, last) VALUES (1, 1, ?, 3, ?)', [
    'https://hooks.example',
    JSON.stringify(last),
  ]);
  db.$client.run("INSERT INTO alarm_deliveries (body) VALUES ('{}')");
  db.$client.run('INSERT INTO alarm_mail VALUES (1, 7, 4000)');
  for (const id of [7, 8]) {
    db.$client.run(
      `INSERT INTO alarms (id, kind, channel_id, channel_name, output_id, output_name, threshold, peak, raised_at)
       VALUES (?, 'no-audio', 1, 'Studio', 0, '', 5, 5, 3000)`,
      [id],
    );
  }
  migrate(db, { migrations, backupDir: null, log });
  expect(db.select().from(alarmTargets).all()).toEqual([
    { name: 'webhook', dropped: 3, last, acceptedAt: 5000 },
    { name: 'mail', dropped: 0, last: null, acceptedAt: 4000 },
  ]);
  const rows = db.select().from(alarmDeliveries).all();
  expect(rows.map(({ target }) => target)).toEqual(['webhook', 'mail']);
  expect(JSON.parse(rows[1]?.body ?? '')).toMatchObject({ event: 'raised', alarm: { id: 8, name: 'Studio' } });
});

test('events of the previous release get the new spelling of their reason', () => {
  const db = openDatabase(':memory:');
  migrate(db, { migrations: migrations.slice(0, reasonProgram.version - 1), backupDir: null, log });
  db.$client.run(`INSERT INTO channels
    (id, name, enabled, play_key, push_key, allow_rtmp, allow_srt, allow_ndi_hx, preferred_protocol, created_at)
    VALUES (1, 'Studio', 1, 'play', 'push', 1, 1, 0, 0, 0)`);
  const insert = `INSERT INTO run_events (channel_id, time, what, output_id, name, from_state, to_state, reason)
    VALUES (1, 0, 'input', 0, '', '', '', ?)`;
  for (const reason of [`${'noProgram'}me`, 'noData']) db.$client.run(insert, [reason]);
  migrate(db, { migrations: migrations.slice(0, reasonProgram.version), backupDir: null, log });
  expect(db.select({ reason: runEvents.reason }).from(runEvents).all()).toEqual([
    { reason: 'noProgram' },
    { reason: 'noData' },
  ]);
});

const step = (version: number, sql: string): Migration => ({ version, name: `step-${version}`, sql });
const first = step(1, 'CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (7);');

test('a database with content is copied before it is changed, and three copies are kept', () => {
  const dir = folder();
  const backupDir = join(dir, 'backups');
  const db = openDatabase(join(dir, 'hub.sqlite'));
  const steps = [first];
  migrate(db, { migrations: steps, backupDir, log });
  expect(readdirSync(dir)).not.toContain('backups');
  for (let version = 2; version <= 6; version++) {
    steps.push(step(version, `CREATE TABLE t${version} (id INTEGER PRIMARY KEY);`));
    migrate(db, { migrations: steps, backupDir, log });
  }
  closeDatabase(db);
  const copies = readdirSync(backupDir).toSorted();
  expect(copies.map((name) => name.slice(-10))).toEqual(['-v3.sqlite', '-v4.sqlite', '-v5.sqlite']);
  expect(statSync(join(backupDir, copies[0]!)).mode & 0o777).toBe(0o600);
  const copy = openDatabase(join(backupDir, copies[0]!));
  expect(databaseVersion(copy)).toBe(3);
  expect(copy.$client.query('SELECT id FROM t').all()).toEqual([{ id: 7 }]);
  closeDatabase(copy);
});

test('a failing step changes nothing', () => {
  const db = openDatabase(':memory:');
  migrate(db, { migrations: [first], backupDir: null, log });
  const broken = step(2, 'CREATE TABLE u (id INTEGER PRIMARY KEY); INSERT INTO nowhere VALUES (1);');
  expect(() => migrate(db, { migrations: [first, broken], backupDir: null, log })).toThrow('nowhere');
  expect(databaseVersion(db)).toBe(1);
  expect(db.$client.query("SELECT name FROM sqlite_schema WHERE name = 'u'").all()).toEqual([]);
});

test('a step that leaves a dangling reference is refused', () => {
  const db = openDatabase(':memory:');
  const broken = step(2, 'CREATE TABLE u (t INTEGER REFERENCES t (id)); INSERT INTO u VALUES (99);');
  expect(() => migrate(db, { migrations: [first, broken], backupDir: null, log })).toThrow('1 broken references');
  expect(databaseVersion(db)).toBe(1);
});

test('the database of a newer Signalbox is not changed', () => {
  const db = openDatabase(':memory:');
  db.$client.run('PRAGMA user_version = 99');
  expect(() => migrate(db, { migrations, backupDir: null, log })).toThrow(NewerDatabaseError);
  expect(databaseVersion(db)).toBe(99);
});

test('a database file is private, uses a write-ahead log and is synchronized at every commit', () => {
  const dir = folder();
  const file = join(dir, 'hub.sqlite');
  const db = openDatabase(file);
  migrate(db, { migrations: [first], backupDir: null, log });
  const pragma = (name: string) => Object.values(db.$client.query(`PRAGMA ${name}`).get() as object)[0];
  expect([pragma('journal_mode'), pragma('synchronous'), pragma('foreign_keys')]).toEqual(['wal', 2, 1]);
  for (const name of readdirSync(dir)) expect(statSync(join(dir, name)).mode & 0o777).toBe(0o600);
  closeDatabase(db);
});

test('a transaction that throws leaves no trace', () => {
  const db = openDatabase(':memory:');
  migrate(db, { migrations, backupDir: null, log });
  expect(() =>
    transaction(db, (tx) => {
      tx.insert(userGroups).values({ id: 8, name: 'Guests', type: 8, permissionMask: 0 }).run();
      throw new Error('changed my mind');
    }),
  ).toThrow('changed my mind');
  expect(db.select().from(userGroups).all()).toHaveLength(3);
});
