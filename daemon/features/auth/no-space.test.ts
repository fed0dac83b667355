/** Sign-in while the database cannot store entries of the operation log. */
import { afterAll, expect, test } from 'bun:test';
import { adminPassword, composedHub } from '../../../tests/fixtures/composed-hub.ts';
import { fillDatabase } from '../../../tests/support/full-database.ts';
import { results } from '../../contract/result.ts';
import { sessions as table } from '../../store/schema.ts';

const { hub, db, json, post, signIn, remove, lines } = await composedHub();
afterAll(remove);

const entry = { action: 'channel.add', subject: '', changes: [], result: 'success' } as const;
const fill = () => fillDatabase(db, () => hub.audit.record(db, { name: 'Admin', ip: '' }, entry));
const isOpen = async (as: string) => (await json('/api/session', { as })).result === 0;

test('users can sign in and out, and wrong passwords are refused; other writes report the cause', async () => {
  const before = await signIn('Admin');
  const makeRoom = fill();
  expect(await post('/api/login', { id: 'Admin', password: 'something else' })).toMatchObject({ result: 39 });
  const during = await signIn('Admin');
  expect(lines.join('\n')).toContain('signed in without an entry in the operation log');
  expect(await isOpen(during)).toBe(true);
  const { list } = await json('/api/session/list', { as: during });
  expect(list.map(({ current }: { current: boolean }) => current)).toEqual([true, false]);
  const refused = await post('/api/channel/add', { name: 'Studio' }, during);
  expect(refused.result).toBe(results.noSpace.code);
  expect(refused.message).toContain('the data folder is full');
  expect(await post('/api/logout', {}, before)).toMatchObject({ result: 0 });
  expect(await isOpen(before)).toBe(false);

  makeRoom();
  expect([await isOpen(before), await isOpen(during)]).toEqual([false, true]);
  hub.sessions.sweep();
  expect([await isOpen(before), await isOpen(during)]).toEqual([false, true]);
  expect(db.select().from(table).all()).toHaveLength(1);
});

test('a session that is not stored ends with a password change', async () => {
  const makeRoom = fill();
  const unsaved = await signIn('Admin');
  makeRoom();
  const other = await signIn('Admin');
  const change = { password: 'quite-another-secret', 'old-password': adminPassword };
  expect(await post('/api/usr/update', change, other)).toMatchObject({ result: 0 });
  expect(await isOpen(unsaved)).toBe(false);
});
