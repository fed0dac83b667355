import { afterEach, expect, test } from 'bun:test';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../lib/config-error.ts';
import { backUp } from './backup.ts';
import { DataFolderError } from './data-folder.ts';
import { closeDatabase, openDatabase } from './database.ts';

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});
function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'signalbox-backup-'));
  made.push(path);
  return path;
}

test('the copy has what was committed, also what is not in the database file yet, and nothing of an open change', () => {
  const [from, to] = [folder(), join(folder(), 'copy')];
  const db = openDatabase(join(from, 'hub.sqlite'));
  db.$client.run('CREATE TABLE notes (text TEXT)');
  db.$client.run("INSERT INTO notes VALUES ('committed')");
  expect(statSync(join(from, 'hub.sqlite-wal')).size).toBeGreaterThan(0);
  db.$client.run('BEGIN IMMEDIATE');
  db.$client.run("INSERT INTO notes VALUES ('open')");
  backUp(from, to);
  db.$client.run('COMMIT');
  closeDatabase(db);

  const copy = openDatabase(join(to, 'hub.sqlite'));
  expect(copy.$client.query('SELECT text FROM notes').values()).toEqual([['committed']]);
  closeDatabase(copy);
});

test('the copy has key, certificate and slates, for the owner only, and no logs', () => {
  const [from, to] = [folder(), join(folder(), 'copy')];
  closeDatabase(openDatabase(join(from, 'hub.sqlite')));
  writeFileSync(join(from, 'secrets.key'), 'key', { mode: 0o600 });
  for (const [name, file] of [
    ['tls', 'hub.crt'],
    ['slates', '1-a.png'],
    ['log', 'engine.log'],
  ] as const) {
    mkdirSync(join(from, name));
    writeFileSync(join(from, name, file), name);
  }
  backUp(from, to);
  expect(readdirSync(to).toSorted()).toEqual(['hub.sqlite', 'secrets.key', 'slates', 'tls']);
  expect(readFileSync(join(to, 'slates', '1-a.png'), 'utf8')).toBe('slates');
  expect(statSync(to).mode & 0o077).toBe(0);
  expect(statSync(join(to, 'hub.sqlite')).mode & 0o077).toBe(0);
});

test('nothing is overwritten, and a copy that fails leaves nothing behind', () => {
  const [from, parent] = [folder(), folder()];
  expect(() => backUp(from, join(parent, 'copy'))).toThrow(DataFolderError);
  closeDatabase(openDatabase(join(from, 'hub.sqlite')));
  expect(() => backUp(from, parent)).toThrow(ConfigError);
  writeFileSync(join(from, 'hub.sqlite'), 'not a database'.repeat(100));
  expect(() => backUp(from, join(parent, 'copy'))).toThrow(DataFolderError);
  expect(existsSync(join(parent, 'copy'))).toBe(false);
  expect(readdirSync(parent)).toEqual([]);
});
