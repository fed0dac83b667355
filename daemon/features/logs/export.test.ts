import { afterAll, expect, test } from 'bun:test';
import { composedHub } from '../../../tests/fixtures/composed-hub.ts';
import { operationLog } from '../../store/schema.ts';

const { db, call, json, signIn, addUser, remove } = await composedHub();
afterAll(remove);
const admin = await signIn('Admin');
const viewer = await addUser('viewer', 4);
db.delete(operationLog).run();

const entry = (detail: string, rest: Partial<typeof operationLog.$inferInsert> = {}) => ({
  ...{ time: Date.UTC(2026, 0, 2), user: 'ann', ip: '192.0.2.1', action: 'channel.set', detail, result: 0 },
  ...rest,
});
const text = async (query = '') =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(
    await (await call(`/api/log/export${query}`, { as: admin })).arrayBuffer(),
  );
const lines = async (query = '') => (await text(query)).split('\r\n').slice(1, -1);

test('the table has every entry that matches the filter, the newest first', async () => {
  db.insert(operationLog)
    .values([
      entry('one'),
      entry('two', { user: 'bob', result: 39 }),
      entry('three', { time: Date.UTC(2026, 0, 3), via: 'Night job' }),
    ])
    .run();
  const response = await call('/api/log/export', { as: admin });
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(response.headers.get('content-disposition')).toContain('operations.csv');
  expect(await text()).toStartWith('\ufeffTime,User,IP address,Access token,Action,Details,Result\r\n');
  expect(await lines()).toEqual([
    '2026-01-03T00:00:00.000Z,ann,192.0.2.1,Night job,channel.set,three,success',
    '2026-01-02T00:00:00.000Z,bob,192.0.2.1,,channel.set,two,mismatch',
    '2026-01-02T00:00:00.000Z,ann,192.0.2.1,,channel.set,one,success',
  ]);
  expect(await lines('?result=failure')).toHaveLength(1);
  expect(await lines('?key=THR')).toHaveLength(1);
});

test('formulas for a spreadsheet stay text, and an entry is one line', async () => {
  db.delete(operationLog).run();
  const formulas = ['=1+1', '+cmd|x', '-2', '@SUM(A1)', '\t=1', '\r@x', '\uff1d1+1'];
  const details = [...formulas, 'a "quote", and a comma', 'two\r\nlines', '<b>bold</b>\u001b[31m'];
  db.insert(operationLog)
    .values(details.map((detail) => entry(detail)))
    .run();
  const all = await lines();
  expect(all).toHaveLength(details.length);
  const cells = all.toReversed().map((line) => line.split(',channel.set,')[1]);
  expect(cells).toEqual([
    ...["'=1+1,success", "'+cmd|x,success", "'-2,success", "'@SUM(A1),success", "' =1,success", "' @x,success"],
    ...["'\uff1d1+1,success", '"a ""quote"", and a comma",success', 'two lines,success', '<b>bold</b> [31m,success'],
  ]);
});

test('a large log is exported completely', async () => {
  db.delete(operationLog).run();
  for (let part = 0; part < 25; part++) {
    db.insert(operationLog)
      .values(Array.from({ length: 100 }, (_, i) => entry(`n${part * 100 + i}`)))
      .run();
  }
  const all = await lines();
  expect(all).toHaveLength(2500);
  expect(new Set(all).size).toBe(2500);
});

test('a search text with control characters, which no entry has, is refused by both logs', async () => {
  for (const key of ['ab%00cd', '%00', 'ab%0Acd', 'ab%7F']) {
    for (const log of ['log', 'syslog']) {
      const refused = { result: 7, fields: [{ path: 'key', rule: 'characters' }] };
      expect(await json(`/api/${log}/list?key=${key}`, { as: admin })).toMatchObject(refused);
      expect(await json(`/api/${log}/export?key=${key}`, { as: admin })).toMatchObject(refused);
    }
  }
});

test('only administrators can export; an invalid filter is refused', async () => {
  expect((await call('/api/log/export', { as: viewer })).status).toBe(403);
  expect((await call('/api/log/export', {})).status).toBe(401);
  const refused = await json('/api/log/export?result=maybe', { as: admin });
  expect(refused).toMatchObject({ result: 7, fields: [{ path: 'result', rule: 'choice' }] });
});
