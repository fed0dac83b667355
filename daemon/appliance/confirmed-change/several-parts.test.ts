/** A change of several areas, and what is left of it when the hub is killed or a part fails at any step. */
import { afterEach, expect, test } from 'bun:test';
import { until } from '../../../tests/support/until.ts';
import { createLog } from '../../lib/log.ts';
import { withFaults } from '../faults-for-test.ts';
import { createConfirmedChanges } from './confirmed-changes.ts';
import type { Journal, JournalEntry } from './journal.ts';
import type { ChangeKind } from './kind.ts';
import { severalParts } from './several-parts.ts';

interface Data {
  readonly next: string;
  readonly previous: string;
}

/** What one area has; of its changes, nothing is lost with the hub. */
function createArea(name: string, steps: string[]) {
  let value = 'before';
  const set = (step: string, next: string) => {
    value = next;
    steps.push(`${step} ${name}`);
  };
  const kind: ChangeKind<string, Data> = {
    prepare: async (next) => ({ next, previous: value }),
    apply: async ({ next }) => set('apply', next),
    proves: async (_, { certificate }) => certificate !== 'old',
    seal: async () => true,
    save: async ({ next }) => set('save', next),
    revert: async ({ previous }) => set('revert', previous),
  };
  return { value: () => value, ...withFaults(kind as ChangeKind) };
}

const names = ['time', 'firewall', 'network'] as const;
type Name = (typeof names)[number];

function createMachine() {
  const steps: string[] = [];
  const areas = Object.fromEntries(names.map((name) => [name, createArea(name, steps)])) as Record<
    Name,
    ReturnType<typeof createArea>
  >;
  let entry: JournalEntry | undefined;
  const journal: Journal = { read: () => entry, write: (next) => (entry = next) };
  let uptime = 1000;
  const clock = { seconds: () => uptime, bootId: () => 'boot' };
  const ended: string[] = [];
  const start = () => {
    const parts = severalParts(Object.fromEntries(names.map((name) => [name, async () => areas[name].area])));
    const changes = createConfirmedChanges({
      ...{ journal, clock, kinds: { settings: async () => parts as ChangeKind } },
      ...{ onEnd: ({ outcome }) => void ended.push(outcome), log: createLog('error', () => {}) },
    });
    changes.resume();
    return changes;
  };
  let changes = start();
  return {
    ...{ areas, steps, ended },
    begin: (seconds = 60) => {
      const change = names.map((part) => ({ part, change: 'after' }));
      return changes.begin({ kind: 'settings', change, user: 'ann', userId: 7, seconds });
    },
    confirm: (token: string, certificate = 'new') => changes.confirm({ token }, { certificate }),
    restart(): void {
      changes.close();
      for (const area of Object.values(areas)) area.mend();
      changes = start();
    },
    pass: (seconds: number) => (uptime += seconds),
    isApplied: () => until(() => changes.waiting()?.applied === true),
    isOver: () => until(() => changes.waiting() === undefined),
    values: () => names.map((name) => areas[name].value()),
    close: () => changes.close(),
  };
}

const [allBefore, allAfter] = [names.map(() => 'before'), names.map(() => 'after')];
let machine: ReturnType<typeof createMachine>;
afterEach(() => machine.close());

test('parts take effect in their order, are kept together, and are undone in the reverse order', async () => {
  machine = createMachine();
  const token = await machine.begin();
  await machine.isApplied();
  await machine.confirm(token);
  expect(machine.steps).toEqual([...names.map((name) => `apply ${name}`), ...names.map((name) => `save ${name}`)]);
  machine.close();
  machine = createMachine();
  await machine.begin();
  await machine.isApplied();
  machine.pass(62);
  await machine.isOver();
  expect(machine.steps.slice(names.length)).toEqual(names.toReversed().map((name) => `revert ${name}`));
  expect([machine.values(), machine.ended]).toEqual([allBefore, ['expired']]);
});

test('a connection that does not show that every part works confirms none of them', async () => {
  machine = createMachine();
  const token = await machine.begin();
  await machine.isApplied();
  await expect(machine.confirm(token, 'old')).rejects.toMatchObject({ result: 'tryAgain' });
  expect(machine.steps).toEqual(names.map((name) => `apply ${name}`));
  await machine.confirm(token);
  await machine.isOver();
  expect(machine.ended).toEqual(['confirmed']);
});

test.each(names)('if %s cannot take effect, all parts are as before', async (name) => {
  machine = createMachine();
  machine.areas[name].fail('apply', new Error('refused'));
  await machine.begin();
  await machine.isOver();
  expect([machine.values(), machine.ended]).toEqual([allBefore, ['failed']]);
});

test.each(names)('if %s cannot even be prepared, nothing begins, and those before it are released', async (name) => {
  machine = createMachine();
  machine.areas[name].fail('prepare', new Error('refused'));
  await expect(machine.begin()).rejects.toThrow('refused');
  const prepared = names.slice(0, names.indexOf(name));
  expect(machine.steps).toEqual(prepared.toReversed().map((one) => `revert ${one}`));
  machine.areas[name].mend();
  await machine.begin();
});

test.each(names)('S6: a hub that is killed while %s takes effect undoes all parts', async (name) => {
  machine = createMachine();
  machine.areas[name].fail('apply', 'crash');
  await machine.begin();
  await until(() => machine.areas[name].value() === 'after');
  machine.restart();
  machine.pass(62);
  await machine.isOver();
  expect([machine.values(), machine.ended]).toEqual([allBefore, ['expired']]);
});

test.each(names)('S6: a hub that is killed while %s is stored keeps all parts', async (name) => {
  machine = createMachine();
  machine.areas[name].fail('save', 'crash');
  const token = await machine.begin();
  await machine.isApplied();
  void machine.confirm(token);
  await until(() => machine.steps.includes(`save ${name}`));
  machine.restart();
  await machine.isOver();
  expect([machine.values(), machine.ended]).toEqual([allAfter, ['confirmed']]);
});

test.each(names)('if %s has undone its part by itself, a confirmation undoes the others', async (name) => {
  machine = createMachine();
  const token = await machine.begin();
  await machine.isApplied();
  machine.areas[name].fail('seal', 'lie');
  await expect(machine.confirm(token)).rejects.toMatchObject({ result: 'wrongState' });
  await machine.isOver();
  expect([machine.values(), machine.ended]).toEqual([allBefore, ['expired']]);
});

test('a part that cannot be undone yet keeps no other one from being undone, and is tried again', async () => {
  machine = createMachine();
  machine.areas.firewall.fail('revert', new Error('no helper'));
  await machine.begin();
  await machine.isApplied();
  machine.pass(62);
  await until(() => machine.areas.time.value() === 'before' && machine.areas.network.value() === 'before');
  expect([machine.areas.firewall.value(), machine.ended]).toEqual(['after', []]);
  machine.areas.firewall.mend();
  await machine.isOver();
  expect([machine.values(), machine.ended]).toEqual([allBefore, ['expired']]);
});
