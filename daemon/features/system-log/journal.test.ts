/** Tests with the real journalctl, on journals made by systemd's own tool. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../../tests/support/until.ts';
import { createLog, type LogEntry } from '../../lib/log.ts';
import { createSystemLog } from './collector.ts';
import { followJournal, type Journal } from './journal.ts';
import { ownUnit } from './journal-unit.ts';
import { openSystemLogStore } from './store.ts';

setDefaultTimeout(30_000);

const folder = mkdtempSync(join(tmpdir(), 'signalbox-journal-'));
const open: Journal[] = [];
afterAll(() => {
  for (const journal of open) journal.close();
  rmSync(folder, { recursive: true });
});
const unit = 'signalbox.service';
const startedAt = 1_795_336_777_000;
let written = 0;

/** '' if there is no such file. */
function textOfFile(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** Adds a file to the journal, with an entry for each record. */
function write(records: readonly Readonly<Record<string, string>>[]): void {
  const text = records.map((record) => {
    written += 1;
    const about = {
      __REALTIME_TIMESTAMP: String((startedAt + written) * 1000),
      __MONOTONIC_TIMESTAMP: String(written * 1000),
      _BOOT_ID: '0123456789abcdef0123456789abcdef',
      _SYSTEMD_UNIT: unit,
    };
    return Object.entries({ ...about, ...record })
      .map(([name, value]) => `${name}=${value}\n`)
      .join('');
  });
  const made = Bun.spawnSync(
    ['/usr/lib/systemd/systemd-journal-remote', '-o', join(folder, `${written}.journal`), '-'],
    { stdin: Buffer.from(`${text.join('\n')}\n`), stdout: 'ignore', stderr: 'pipe' },
  );
  expect([made.exitCode, made.exitCode === 0 ? '' : made.stderr.toString()]).toEqual([0, '']);
}

function follow(cursor: string | undefined, faults: string[] = []): Journal {
  const what = [`--directory=${folder}`, `--unit=${unit}`];
  const journal = followJournal({ what, cursor, onFault: (reason) => faults.push(reason), firstWaitMs: 20 });
  open.push(journal);
  return journal;
}

/** Waits for an entry with the text; returns all entries so far, and the cursor. */
async function readUntil(journal: Journal, text: string): Promise<{ entries: LogEntry[]; cursor: string }> {
  const entries: LogEntry[] = [];
  for (;;) {
    const more = journal.read();
    entries.push(...(more?.entries ?? []));
    if (more && entries.some((entry) => entry.text.includes(text))) return { entries, cursor: more.cursor };
    await Bun.sleep(10);
  }
}
const texts = (entries: readonly LogEntry[]) => entries.map(({ text }) => text);

test('entries of systemd and of a crash about the unit are read once, live and across a restart of the hub', async () => {
  const own: string[] = [];
  createLog('info', (line) => own.push(line))
    .in('hub')
    .info('said by the hub itself');
  write([
    { PRIORITY: '6', SYSLOG_IDENTIFIER: 'signalbox', MESSAGE: own[0] ?? '' },
    { PRIORITY: '3', SYSLOG_IDENTIFIER: 'signalbox', MESSAGE: 'panic: a \u001b[31mred\u001b[0m end' },
    { _SYSTEMD_UNIT: 'other.service', PRIORITY: '3', MESSAGE: 'of another unit' },
    {
      ...{ _SYSTEMD_UNIT: 'init.scope', _PID: '1', UNIT: unit, PRIORITY: '4', SYSLOG_IDENTIFIER: 'systemd' },
      MESSAGE: `${unit}: Main process exited, code=killed, status=9/KILL`,
    },
  ]);
  const first = follow(undefined);
  const { entries } = await readUntil(first, 'status=9/KILL');
  expect(entries).toEqual([
    {
      time: startedAt + 2,
      level: 'error',
      scope: 'journal/signalbox',
      text: expect.stringMatching(/^panic: a .*red.* end$/),
    },
    {
      time: startedAt + 4,
      level: 'warn',
      scope: 'journal/systemd',
      text: `${unit}: Main process exited, code=killed, status=9/KILL`,
    },
  ]);
  expect(entries[0]?.text).not.toContain('\u001b');

  write([{ PRIORITY: '7', MESSAGE: 'while it is followed' }]);
  const live = await readUntil(first, 'while it is followed');
  expect(live.entries).toMatchObject([{ level: 'debug', scope: 'journal' }]);
  first.close();

  write([{ PRIORITY: '5', MESSAGE: 'while the hub was away' }]);
  const { entries: later } = await readUntil(follow(live.cursor), 'while the hub was away');
  expect(texts(later)).toEqual(['while the hub was away']);
});

test('lines are stored together with the cursor up to which they were read', async () => {
  write([{ PRIORITY: '4', MESSAGE: 'kept with its cursor' }]);
  const path = join(folder, 'system.sqlite');
  const store = openSystemLogStore(path);
  const journal = follow(undefined);
  const log = createSystemLog({ store, journal, engine: { read: () => undefined }, onFault: () => {}, everyMs: 10 });
  await until(() => store.list({ key: 'kept with its cursor' }).total > 0);
  log.close();
  const reopened = openSystemLogStore(path);
  const cursor = reopened.cursor();
  expect(cursor).toStartWith('s=');
  expect(reopened.list({ key: 'kept with its cursor' }).list).toMatchObject([{ level: 'warn', scope: 'journal' }]);
  write([{ PRIORITY: '6', MESSAGE: 'next' }]);
  expect(texts((await readUntil(follow(cursor), 'next')).entries)).toEqual(['next']);
  reopened.close();
});

test('a hub starts with the newest entries; when there are many, most wait in the journal, and each is read once', async () => {
  write([{ PRIORITY: '6', MESSAGE: 'before the burst' }]);
  const first = await readUntil(follow(undefined), 'before the burst');
  write(Array.from({ length: 3000 }, (_, at) => ({ PRIORITY: '6', MESSAGE: `burst ${at}.` })));
  expect((await readUntil(follow(undefined), 'burst 2999.')).entries).toHaveLength(200);
  const journal = follow(first.cursor);
  const parts: LogEntry[][] = [];
  while (parts.at(-1)?.at(-1)?.text !== 'burst 2999.') {
    const more = journal.read();
    if (more) parts.push(more.entries);
    await Bun.sleep(60);
  }
  expect(texts(parts.flat())).toEqual(Array.from({ length: 3000 }, (_, at) => `burst ${at}.`));
  expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(1500);
});

test('a journal that cannot be read is reported once, and retried', async () => {
  const faults: string[] = [];
  const tries = { what: ['--directory=/nowhere/at/all'], cursor: undefined, firstWaitMs: 1 };
  open.push(followJournal({ ...tries, onFault: (reason) => faults.push(reason) }));
  await until(() => faults.length > 0);
  expect(faults[0]).toContain('/nowhere/at/all');
});

test('a killed hub leaves no reader behind', async () => {
  write([{ MESSAGE: 'still there' }]);
  const options = JSON.stringify({ what: [`--directory=${folder}`], firstWaitMs: 20 });
  const script = `import { followJournal } from ${JSON.stringify(join(import.meta.dir, 'journal.ts'))};
    followJournal({ ...${options}, cursor: undefined, onFault: console.error });`;
  const hub = Bun.spawn([process.execPath, '-e', script], { stdin: 'ignore', stdout: 'ignore', stderr: 'inherit' });
  const readers = () => readFileSync(`/proc/${hub.pid}/task/${hub.pid}/children`, 'utf8').trim().split(' ');
  const isReader = (pid: string) => textOfFile(`/proc/${pid}/comm`) === 'journalctl\n';
  await until(() => readers().some(isReader), 10_000, 'the hub reads its journal');
  const reader = readers().find(isReader);
  hub.kill('SIGKILL');
  const hasEnded = () => /^$|\) Z /.test(textOfFile(`/proc/${reader}/stat`));
  await until(hasEnded, 10_000, 'the reader has ended');
});

test('the unit is the service that systemd started the hub as', () => {
  const env = { INVOCATION_ID: 'a1' };
  const service = '0::/system.slice/signalbox.service\n';
  const unitOf = (rest: object) => ownUnit({ env, isSystemd: true, cgroups: service, ...rest });
  expect(unitOf({})).toBe('signalbox.service');
  expect(unitOf({ cgroups: '4:memory:/x\n1:name=systemd:/system.slice/system-hub.slice/hub@1.service/inner\n' })).toBe(
    'hub@1.service',
  );
  expect(unitOf({ cgroups: `1:name=systemd:/\n${service}` })).toBe('signalbox.service');
  expect(unitOf({ isSystemd: false })).toBeUndefined();
  expect(unitOf({ env: {} })).toBeUndefined();
  expect(unitOf({ cgroups: '0::/user.slice/user-0.slice/session-1.scope\n' })).toBeUndefined();
  expect(unitOf({ cgroups: '' })).toBeUndefined();
});
