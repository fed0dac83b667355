import { afterEach, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../lib/log.ts';
import { DataFolderError, openDataFolder } from './data-folder.ts';
import { closeDatabase } from './database.ts';
import { openHubDatabase } from './hub-database.ts';
import { migrations } from './migrations/list.ts';

const log = createLog('error', () => {});
const dirs: string[] = [];

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-folder-'));
  dirs.push(dir);
  return dir;
}

afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true });
});

test('a missing folder is created for the owner only', () => {
  const path = join(folder(), 'deep', 'var');
  openDataFolder(path, log).release();
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

const modeOf = (path: string) => statSync(path).mode & 0o7777;

test('an existing folder is closed to other users, and so is its lock file', () => {
  const empty = folder();
  chmodSync(empty, 0o755);
  openDataFolder(empty, log).release();
  expect(modeOf(empty)).toBe(0o700);
  const used = folder();
  writeFileSync(join(used, 'hub.sqlite'), '');
  writeFileSync(join(used, 'hub.lock'), '');
  chmodSync(join(used, 'hub.lock'), 0o644);
  chmodSync(used, 0o770);
  openDataFolder(used, log).release();
  expect([modeOf(used), modeOf(join(used, 'hub.lock'))]).toEqual([0o700, 0o600]);
});

test('a shared folder is left unchanged with a warning, a world-writable one is refused', () => {
  const lines: string[] = [];
  const warned = createLog('warn', (line) => lines.push(line));
  const path = folder();
  writeFileSync(join(path, 'letter.txt'), '');
  chmodSync(path, 0o755);
  openDataFolder(path, warned).release();
  expect([modeOf(path), lines.length]).toEqual([0o755, 1]);
  expect(lines[0]).toContain('SIGNALBOX_DATA_DIR');
  chmodSync(path, 0o777);
  expect(() => openDataFolder(path, log)).toThrow(/everybody on this machine may write .*SIGNALBOX_DATA_DIR/);
  const shared = folder();
  writeFileSync(join(shared, 'hub.sqlite'), '');
  chmodSync(shared, 0o1777);
  expect(() => openDataFolder(shared, log)).toThrow(DataFolderError);
  expect(modeOf(shared)).toBe(0o1777);
});

test('a path that cannot be a folder is refused with its name and the remedy', () => {
  const file = join(folder(), 'file');
  writeFileSync(file, '');
  expect(() => openDataFolder(join(file, 'var'), log)).toThrow(DataFolderError);
  expect(() => openDataFolder(join(file, 'var'), log)).toThrow(
    /file\/var can't be written \(\w+\); .*SIGNALBOX_DATA_DIR/,
  );
});

test('a damaged lock file is distinguished from a running hub', () => {
  const path = folder();
  writeFileSync(join(path, 'hub.lock'), 'this is no database file, however long one looks at it'.repeat(40));
  expect(() => openDataFolder(path, log)).toThrow(/hub\.lock can't be locked \(SQLITE_NOTADB\); remove it/);
});

/** Holds the lock of a folder in another process until it is killed. */
async function holder(path: string) {
  const script = `
    const { openDataFolder } = await import('${import.meta.dir}/data-folder.ts');
    try { openDataFolder(${JSON.stringify(path)}, { info() {}, warn() {} }); Bun.gc(true); console.log('held'); setInterval(() => {}, 1000); }
    catch (error) { console.log(error.message); process.exit(1); }`;
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe' });
  const { value } = await child.stdout.getReader().read();
  return { child, output: new TextDecoder().decode(value).trim() };
}

test('a second hub is refused with the process that holds the folder; a killed one leaves no trace', async () => {
  const path = folder();
  const first = await holder(path);
  expect(first.output).toBe('held');
  expect(() => openDataFolder(path, log)).toThrow(
    `another hub (process ${first.child.pid}) uses the data folder ${path}`,
  );
  first.child.kill('SIGKILL');
  await first.child.exited;
  const mine = openDataFolder(path, log);
  const second = await holder(path);
  expect(second.output).toStartWith(`another hub (process ${process.pid})`);
  await second.child.exited;
  mine.release();
  const third = await holder(path);
  expect(third.output).toBe('held');
  third.child.kill('SIGKILL');
  await third.child.exited;
});

test('a damaged or newer database is refused with the file and the remedy', () => {
  const path = folder();
  const data = openDataFolder(path, log);
  const db = openHubDatabase(data, log);
  db.$client.run('PRAGMA user_version = 99');
  closeDatabase(db);
  expect(() => openHubDatabase(data, log)).toThrow(`has version 99, this Signalbox knows up to ${migrations.length}`);
  rmSync(data.database);
  writeFileSync(data.database, 'this is no database, whatever its name says, and it is long enough to be read as one');
  expect(() => openHubDatabase(data, log)).toThrow(DataFolderError);
  expect(() => openHubDatabase(data, log)).toThrow(/hub\.sqlite can't be used .*start again/);
  data.release();
});
