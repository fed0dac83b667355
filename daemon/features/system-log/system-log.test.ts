import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { composedHub } from '../../../tests/fixtures/composed-hub.ts';
import { readTopic } from '../../../tests/support/topic-reader.ts';
import type { LinesEvent } from '../../contract/events.ts';
import { limits } from '../../contract/limits.ts';
import type { SystemLogLine } from '../../contract/system-log.ts';
import { createLog, type LogEntry } from '../../lib/log.ts';
import { createSystemLog } from './collector.ts';
import { followEngineLog } from './engine-log.ts';
import { noJournal } from './journal.ts';
import { countOfLines, newestLines, openSystemLogStore } from './store.ts';

const folder = mkdtempSync(join(tmpdir(), 'signalbox-syslog-'));
afterAll(() => rmSync(folder, { recursive: true }));
const entry = (text: string, rest: Partial<LogEntry> = {}): LogEntry => ({
  ...{ time: 1000, level: 'info', scope: 'hub', text },
  ...rest,
});
const texts = (list: readonly { text: string }[]) => list.map(({ text }) => text);

test('the newest lines are kept, paged from the newest, filtered by level, time and text', () => {
  const store = openSystemLogStore(':memory:', 5);
  store.append([entry('lost'), entry('a', { time: 1 }), entry('b', { level: 'warn' })]);
  store.append([entry('c', { level: 'error', scope: 'hub/http' }), entry('100%'), entry('d_e', { time: 5000 })]);
  expect(texts(store.list({}).list)).toEqual(['d_e', '100%', 'c', 'b', 'a']);
  const first = store.list({ count: 2 });
  expect(texts(store.list({ count: 2, before: first.next }).list)).toEqual(['c', 'b']);
  expect(store.list({ count: 2, before: 3 })).toMatchObject({ next: 0, total: 5 });
  expect(texts(store.list({ level: 'warn,error' }).list)).toEqual(['c', 'b']);
  expect(texts(store.list({ from: 2, to: 1000, level: 'info' }).list)).toEqual(['100%']);
  expect(texts(store.list({ key: 'HTTP' }).list)).toEqual(['c']);
  expect([store.list({ key: '%' }).total, store.list({ key: '_' }).total]).toEqual([1, 1]);
  expect(texts(store.after(store.list({ key: 'c' }).list[0]?.id ?? 0, {}, 10))).toEqual(['100%', 'd_e']);
});

test('a file that is not a database is set aside, and a read-only one does not stop the hub', () => {
  const path = join(folder, 'broken.sqlite');
  writeFileSync(path, 'no database at all '.repeat(100));
  const store = openSystemLogStore(path);
  store.append([entry('here')]);
  expect(store.list({}).total).toBe(1);
  store.close();
  expect(readFileSync(`${path}.broken`, 'utf8')).toStartWith('no database');
  expect(statSync(path).mode & 0o077).toBe(0);
  const nowhere = openSystemLogStore('/proc/nowhere/system.sqlite');
  nowhere.append([entry('here, too')]);
  expect(nowhere.list({}).total).toBe(1);
});

test('the engine’s file is followed line by line, across truncation, replacement and a restart of the hub', () => {
  const path = join(folder, 'engine.log');
  const line = (text: string, level = 'info ') => `2026-01-02T03:04:05.678Z ${level} media/srt: ${text}\n`;
  let tail = followEngineLog(path, undefined, () => 7);
  expect(tail.read()).toBeUndefined();
  appendFileSync(path, line('one\u0085\u2028two') + line('half').slice(0, 30));
  expect(tail.read()?.entries).toEqual([
    { time: Date.UTC(2026, 0, 2, 3, 4, 5, 678), level: 'info', scope: 'media/srt', text: 'one two' },
  ]);
  appendFileSync(path, `${line('half').slice(30)}panic: \u001b[31mred\n\n`);
  const second = tail.read();
  expect(second?.entries.map(({ level, text }) => [level, text])).toEqual([
    ['info', 'half'],
    ['warn', 'panic:  [31mred'],
  ]);
  expect(tail.read()).toBeUndefined();
  tail = followEngineLog(path, second?.mark, () => 7);
  expect(tail.read()).toBeUndefined();
  truncateSync(path);
  appendFileSync(path, line('after emptying', 'warn '));
  expect(texts(tail.read()?.entries ?? [])).toEqual(['after emptying']);
  renameSync(path, `${path}.1`);
  writeFileSync(path, line('a new file'));
  expect(texts(tail.read()?.entries ?? [])).toEqual(['a new file']);
});

test('a line longer than a megabyte neither blocks the log nor is kept whole', () => {
  const path = join(folder, 'long.log');
  writeFileSync(path, `${'x'.repeat(3 << 20)}\nnext\n`);
  const tail = followEngineLog(path, undefined, () => 0);
  const all: LogEntry[] = [];
  for (let part = tail.read(); part; part = tail.read()) all.push(...part.entries);
  expect(all.at(-1)?.text).toBe('next');
  expect(Math.max(...all.map(({ text }) => text.length))).toBe(2000);
});

test('lines that arrive too fast are counted, and subscribers get each line once', () => {
  const store = openSystemLogStore(':memory:');
  const log = createSystemLog({
    store,
    engine: { read: () => undefined },
    journal: noJournal,
    onFault: () => {},
    everyMs: 60_000,
  });
  const read = readTopic<LinesEvent<SystemLogLine>>(log.topic);
  const heard = () => read.changes().flatMap(({ lines }) => texts(lines));
  for (let i = 0; i < 2500; i++) log.add(entry(`n${i}`));
  log.flush();
  log.flush();
  expect(heard()).toHaveLength(2001);
  expect(heard().at(-1)).toBe('500 lines came too fast for the system log');
  read.close();
  log.add(entry('unheard'));
  log.close();
  expect(heard()).toHaveLength(2001);
});

test('a log that cannot be written reports it and continues', () => {
  const faults: unknown[] = [];
  const store = openSystemLogStore(':memory:');
  const log = createSystemLog({
    store,
    engine: { read: () => undefined },
    journal: noJournal,
    onFault: (fault) => faults.push(fault),
    everyMs: 60_000,
  });
  store.close();
  log.add(entry('x'));
  log.flush();
  expect(faults).toHaveLength(1);
});

test('administrators read, search and download it; markup and control characters stay plain text in one line', async () => {
  const { call, json, signIn, addUser, systemLog, remove } = await composedHub();
  const own = createLog('info', (_line, entry) => systemLog.add(entry));
  own.in('test').warn('a <b>name</b>\r\n\u0085\u20282026-01-01 \u202eforged', { peer: 'x\u0000\u009by' });
  systemLog.flush();
  const admin = await signIn('Admin');
  const viewer = await addUser('viewer', 4);
  const { list } = await json('/api/syslog/list?key=forged', { as: admin });
  expect(list).toMatchObject([{ level: 'warn', scope: 'test', text: 'a <b>name</b> 2026-01-01  forged peer="x y"' }]);
  expect(await json('/api/syslog/list', { as: viewer })).toMatchObject({ result: 31 });
  expect((await call('/api/syslog/export', { as: viewer })).status).toBe(403);
  const response = await call('/api/syslog/export?level=warn', { as: admin });
  expect(await response.text()).toEndWith('Z warn  test: a <b>name</b> 2026-01-01  forged peer="x y"\n');
  expect(await json('/api/syslog/list?level=loud', { as: admin })).toMatchObject({
    fields: [{ path: 'level', rule: 'choice' }],
  });
  remove();
});

test('S8: 100,000 entries with binary data, control characters and script are paged, searched and downloaded as plain text', async () => {
  const { call, json, signIn, systemLog, remove } = await composedHub();
  const own = createLog('info', (_line, entry) => systemLog.add(entry)).in('flood');
  const hostile = '\u001b[31m\u0007<script>alert(1)</script>\u0000\ufffd\u202e';
  // As many as it takes between two flushes.
  for (let at = 0; at < 100_000; at += 2000) {
    for (let i = at; i < at + 2000; i += 1) own.info(`entry ${i} ${hostile}`, { peer: '\u009b2J' });
    systemLog.flush();
  }
  const as = await signIn('Admin');
  const page = async (query: string) =>
    (await json(`/api/syslog/list?${query}`, { as })) as {
      list: { id: number; text: string }[];
      total: number;
      next: number;
    };
  const kept = limits.systemLogLines;
  const newest = await page('count=100&key=entry');
  expect([newest.total, newest.list.length]).toEqual([kept, 100]);
  expect(newest.list.map(({ text }) => /^entry (\d+) /.exec(text)?.[1])).toEqual(
    Array.from({ length: 100 }, (_, at) => String(99_999 - at)),
  );
  expect(newest.list[0]?.text).toContain('<script>alert(1)</script>');
  const oldest = 100_000 - kept;
  expect((await page(`key=${encodeURIComponent(`entry ${oldest} `)}`)).total).toBe(1);
  expect((await page(`key=${encodeURIComponent(`entry ${oldest - 1} `)}`)).total).toBe(0);
  const text = await (await call('/api/syslog/export', { as })).text();
  expect(text.match(/entry \d+ /g)).toHaveLength(kept);
  // Nothing that a terminal obeys, and no line that an entry adds.
  expect(text).not.toMatch(/[^\P{Cc}\n]|[\p{Cf}\u2028\u2029]/u);
  remove();
});

test('every filter except the text uses the index, and no result is sorted', () => {
  const path = join(folder, 'plans.sqlite');
  const store = openSystemLogStore(path);
  store.append([entry('x')]);
  const db = new Database(path, { readonly: true });
  const filters = [{}, { level: 'warn,error' }, { level: 'info', from: 5 }, { to: 9 }, { key: 'x', level: 'error' }];
  for (const filter of filters) {
    for (const { sql } of [countOfLines(filter), newestLines(filter), newestLines({ ...filter, before: 7 })]) {
      const steps = db.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`).all();
      expect(steps.map(({ detail }) => detail)).toEqual([
        expect.stringMatching(/USING (COVERING )?INDEX lines_in_order/),
      ]);
    }
  }
  db.close();
  store.close();
});

test('a new subscriber learns the newest line number', () => {
  const store = openSystemLogStore(':memory:');
  const log = createSystemLog({
    store,
    engine: { read: () => undefined },
    journal: noJournal,
    onFault: () => {},
    everyMs: 60_000,
  });
  const begins = () => readTopic(log.topic).messages[0];
  expect(begins()).toEqual({ kind: 'init', data: { lines: [], last: 0 } });
  log.add(entry('a'));
  log.add(entry('b'));
  log.flush();
  expect(begins()).toEqual({ kind: 'init', data: { lines: [], last: 2 } });
  expect(store.list({ key: 'nothing' })).toMatchObject({ total: 0, last: 2 });
  log.close();
});
