import { expect, test } from 'bun:test';
import { createLog } from '../../lib/log.ts';
import { createConfirmedChanges } from './confirmed-changes.ts';
import type { Journal, JournalEntry } from './journal.ts';
import type { ChangeKind } from './kind.ts';

const userId = 7;

function setUp() {
  let entry: JournalEntry | undefined;
  const journal: Journal = { read: () => entry, write: (next) => (entry = next) };
  const applying = Promise.withResolvers<void>();
  const saved: unknown[] = [];
  const kind: ChangeKind = {
    prepare: async (change) => change,
    apply: () => applying.promise,
    seal: async () => true,
    save: async (data) => void saved.push(data),
    revert: async () => {},
  };
  const changes = createConfirmedChanges({
    ...{ journal, clock: { seconds: () => 0, bootId: () => 'boot' }, kinds: { network: async () => kind } },
    ...{ onEnd() {}, log: createLog('error', () => {}) },
  });
  const begin = () => changes.begin({ kind: 'network', change: 'new', user: 'ann', userId, seconds: 60 });
  return { changes, begin, takeEffect: applying.resolve, saved };
}

test('a change is not confirmed before it takes effect: nothing proves yet that the hub can be reached', async () => {
  const { changes, begin, takeEffect, saved } = setUp();
  const token = await begin();
  expect(changes.waiting()).toMatchObject({ user: 'ann', applied: false });
  await expect(changes.confirm({ token })).rejects.toMatchObject({ result: 'tryAgain' });
  const isApplied = new Promise<void>((resolve) =>
    changes.onChange(() => void (changes.waiting()?.applied && resolve())),
  );
  takeEffect();
  await isApplied;
  expect(await changes.confirm({ token })).toMatchObject({ userId });
  expect(saved).toEqual(['new']);
  changes.close();
});

test('the author confirms without the token, another user does not', async () => {
  const { changes, begin, takeEffect } = setUp();
  await begin();
  const isApplied = new Promise<void>((resolve) =>
    changes.onChange(() => void (changes.waiting()?.applied && resolve())),
  );
  takeEffect();
  await isApplied;
  await expect(changes.confirm({ userId: 8 })).rejects.toMatchObject({ result: 'mismatch' });
  expect(await changes.confirm({ userId })).toMatchObject({ user: 'ann' });
  changes.close();
});
