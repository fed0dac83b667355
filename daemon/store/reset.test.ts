import { afterAll, afterEach, expect, test } from 'bun:test';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ResetKeep } from '../contract/power-fields.ts';
import { createLog } from '../lib/log.ts';
import { openDataFolder } from './data-folder.ts';
import { closeDatabase } from './database.ts';
import { openHubDatabase } from './hub-database.ts';
import { continueReset, markReset, readSetupCode, readSystemReset, resetSteps, writeSystemReset } from './reset.ts';

const log = createLog('error');
const folders: string[] = [];
afterEach(() => {
  for (const path of folders.splice(0)) rmSync(path, { recursive: true });
});

const files = [
  ...['secrets.key', 'tls/cert.pem', 'tls/link.key', 'slates/1.png', 'uploads/7', 'backups/hub.sqlite'],
  ...['ndi/runtime/libndi.so.6', 'ndi/ndi-router/ndi-config.v1.json'],
];
const ofKept = ['firmware/a.mwf', 'log/system.sqlite', 'log/engine.log'];

let template: string | undefined;
afterAll(() => template && rmSync(template, { recursive: true }));

/** A data folder with something everywhere. */
function filled(): string {
  template ??= fill(mkdtempSync(join(tmpdir(), 'signalbox-reset-')));
  const path = mkdtempSync(join(tmpdir(), 'signalbox-reset-'));
  folders.push(path);
  cpSync(template, path, { recursive: true });
  return path;
}

function fill(path: string): string {
  const folder = openDataFolder(path, log);
  const db = openHubDatabase(folder, log);
  db.$client.run(
    "INSERT INTO channels (name, enabled, play_key, push_key, allow_rtmp, allow_srt, allow_ndi_hx, preferred_protocol, created_at) VALUES ('Arena', 1, 'hidden-play', 'hidden-push', 1, 1, 0, 1, 0)",
  );
  db.$client.run("INSERT INTO firewall_rules (port, protocol, remark, enabled) VALUES ('5000', 1, 'hidden-remark', 1)");
  db.$client.run("UPDATE users SET password_hash = 'hidden-hash'");
  db.$client.run(
    "INSERT INTO settings (name, value) VALUES ('web', '{\"httpPort\":81}'), ('network', '{\"eth1\":\"mac:hidden-mac\"}'), ('hub-name', '\"hidden-name\"')",
  );
  db.$client.run(
    "INSERT INTO operation_log (time, user, ip, action, detail, result) VALUES (1, 'hidden-user', '', 'x', '', 0)",
  );
  db.$client.run(
    "INSERT INTO firmware_files (name, product_id, firmware_id, hardware, version, size, sha256, file, uploaded_at, uploaded_by, accepted_by) VALUES ('f', 1, 0, 'B', '1.0.0', 1, 'x', 'a.mwf', 1, '', '')",
  );
  closeDatabase(db);
  for (const name of [...files, ...ofKept]) {
    mkdirSync(join(path, name, '..'), { recursive: true });
    writeFileSync(join(path, name), 'hidden-file');
  }
  folder.release();
  return path;
}

function open<T>(path: string, work: (folder: ReturnType<typeof openDataFolder>) => T): T {
  const folder = openDataFolder(path, log);
  try {
    return work(folder);
  } finally {
    folder.release();
  }
}

/** Bytes of all files. */
const contents = (path: string): string =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');

function rowsOf(path: string): object {
  return open(path, (folder) => {
    const db = openHubDatabase(folder, log);
    const count = (table: string) => (db.$client.query(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n;
    const tables = ['channels', 'settings', 'firewall_rules', 'operation_log', 'firmware_files', 'users'];
    const rows = Object.fromEntries(tables.map((table) => [table, count(table)]));
    closeDatabase(db);
    return rows;
  });
}

const reset = (path: string, keep: readonly ResetKeep[]) => {
  markReset(path, { keep, setupCode: 'ABCDE-FGHJK' });
  open(path, (folder) => continueReset(folder, log));
};
const fresh = { channels: 0, settings: 0, firewall_rules: 0, operation_log: 0, firmware_files: 0, users: 1 };

test('S7: a reset leaves nothing of users, keys, certificates and logs, not even in free pages', () => {
  const path = filled();
  expect(contents(path)).toContain('hidden-push');
  reset(path, []);
  expect(contents(path)).not.toContain('hidden');
  expect(rowsOf(path)).toEqual(fresh);
  expect(readSetupCode(path)).toBe('ABCDE-FGHJK');
  const left = readdirSync(path).filter((name) => !['hub.lock', 'hub.pid'].includes(name));
  expect(left.toSorted()).toEqual(
    ['backups', 'firmware', 'hub.sqlite', 'log', 'ndi', 'setup-code', 'slates', 'tls', 'uploads'].toSorted(),
  );
});

test.each<[ResetKeep, object, readonly string[]]>([
  ['network', { settings: 2, firewall_rules: 1 }, ['tls/cert.pem']],
  ['firmware', { firmware_files: 1 }, ['firmware/a.mwf']],
  ['logs', { operation_log: 1 }, ['log/system.sqlite', 'log/engine.log']],
])('a reset that keeps %s keeps nothing else', (keep, rows, kept) => {
  const path = filled();
  reset(path, [keep]);
  expect(rowsOf(path)).toEqual({ ...fresh, ...rows });
  const left = [...files, ...ofKept].filter(
    (name) => existsSync(join(path, name)) && readFileSync(join(path, name), 'utf8') !== '',
  );
  expect(left).toEqual([...kept]);
  const text = contents(path);
  expect(text).not.toContain('hidden-push');
  expect(text).not.toContain('hidden-hash');
});

test('S6: a reset whose power is cut after any step is completed by the next start, also if cut twice', () => {
  const mark = { keep: ['network', 'firmware'] as const, setupCode: 'ABCDE-FGHJK' };
  const whole = filled();
  reset(whole, mark.keep);
  const expected = rowsOf(whole);
  const count = open(filled(), (folder) => resetSteps(folder, mark, log).length);
  expect(count).toBeGreaterThan(8);
  for (let first = 0; first <= count; first++) {
    const path = filled();
    markReset(path, mark);
    const cutAfter = (steps: number) =>
      open(path, (folder) => {
        if (existsSync(join(path, 'reset.json')))
          for (const step of resetSteps(folder, mark, log).slice(0, steps)) step();
      });
    cutAfter(first);
    cutAfter(Math.floor(first / 2));
    open(path, (folder) => continueReset(folder, log));
    expect([first, rowsOf(path)]).toEqual([first, expected]);
    expect([first, contents(path).includes('hidden-push')]).toEqual([first, false]);
    expect([first, existsSync(join(path, 'reset.json'))]).toEqual([first, false]);
  }
}, 30_000);

test('what the operating system of an appliance resets is named once the folder is wiped', () => {
  const path = filled();
  markReset(path, { keep: [], setupCode: 'ABCDE-FGHJK', system: ['network', 'time'] });
  expect(readSystemReset(path)).toEqual([]);
  open(path, (folder) => continueReset(folder, log));
  expect(readSystemReset(path)).toEqual(['network', 'time']);
  writeFileSync(join(path, 'reset-system.json'), '["time", "cut off');
  expect(readSystemReset(path)).toEqual([]);
  writeSystemReset(path, []);
  expect(existsSync(join(path, 'reset-system.json'))).toBe(false);
});

test('a hub whose folder is not marked is not reset', () => {
  const path = filled();
  open(path, (folder) => continueReset(folder, log));
  expect(contents(path)).toContain('hidden-push');
});
