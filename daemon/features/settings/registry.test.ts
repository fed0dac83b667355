import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import * as z from 'zod/mini';
import { until } from '../../../tests/support/until.ts';
import { HubError } from '../../lib/hub-error.ts';
import { createLog } from '../../lib/log.ts';
import type { Database } from '../../store/database.ts';
import { memoryDatabase } from '../../store/memory-database-for-test.ts';
import { operationLog } from '../../store/schema.ts';
import { createAudit } from '../logs/audit.ts';
import { createSettingsRegistry, type SettingsRegistry } from './registry.ts';

const actor = { name: 'Admin', ip: '192.0.2.1' };
const may = { mayWeaken: true };

interface Address {
  readonly ip: string;
}

let db: Database;
let registry: SettingsRegistry;
let address: () => Address;
/** What the machine was told, in order. */
let steps: string[];
let refuses = '';
let refusals = 0;
/** How far the clock of the machine has jumped, in milliseconds. */
let jumped = 0;

function begin(): void {
  registry = createSettingsRegistry({
    db,
    audit: createAudit(Date.now),
    log: createLog('error', () => {}),
    now: () => Date.now() + jumped,
  });
  address = registry.register<Address, Address>({
    name: 'address',
    schema: z.object({ ip: z.string() }),
    initial: { ip: '192.0.2.10' },
    show: (now) => now,
    merge: (_, change) => change,
    describe: ({ ip }) => [{ word: 'address', value: ip }],
    async prepare({ ip }) {
      if (ip === refuses) {
        refusals++;
        throw new Error(`${ip} is in use`);
      }
      steps.push(`prepare ${ip}`);
      return { commit: () => steps.push(`commit ${ip}`), abort: () => steps.push(`abort ${ip}`) };
    },
  });
}
beforeEach(() => {
  db = memoryDatabase();
  steps = [];
  refuses = '';
  refusals = 0;
  jumped = 0;
  begin();
});
afterEach(() => registry.close());

const change = (ip: string, seconds?: number) =>
  registry.change(actor, { address: { ip }, 'confirm-within': seconds }, may);
const actions = () =>
  db
    .select()
    .from(operationLog)
    .all()
    .map(({ action, user, detail }) => [action, user, detail].join(' '));
interface Shown {
  readonly unconfirmed?: Readonly<Record<string, number>>;
  readonly revision: Readonly<Record<string, number>>;
}
const shown = () => registry.shown(true) as Shown;

describe('a change that must be confirmed', () => {
  test('applies at once, and is kept once it is confirmed', async () => {
    const revision = await change('192.0.2.20', 30);
    expect(address().ip).toBe('192.0.2.20');
    expect(shown().unconfirmed?.address).toBeGreaterThan(Date.now() + 29_000);
    registry.confirm(actor, 'address');
    expect(shown().unconfirmed).toBeUndefined();
    expect(shown().revision.address).toBe(revision);
    expect(actions()).toEqual(['settings.set Admin address: address 192.0.2.20', 'settings.confirm Admin address']);
    expect(() => registry.confirm(actor, 'address')).toThrow("no change of 'address' waits to be confirmed");
  });

  test('is reverted when its time is over', async () => {
    await change('192.0.2.20');
    const revision = await change('192.0.2.30', 0.03);
    await until(() => address().ip === '192.0.2.20');
    // By which a page tells this from a change that was confirmed.
    expect(shown().revision.address).toBeGreaterThan(revision);
    expect(steps.slice(2)).toEqual([
      'prepare 192.0.2.30',
      'commit 192.0.2.30',
      'prepare 192.0.2.20',
      'commit 192.0.2.20',
    ]);
    expect(shown().unconfirmed).toBeUndefined();
    expect(actions().at(-1)).toBe('settings.revert  address: address 192.0.2.20');
    begin();
    expect(address().ip).toBe('192.0.2.20');
  });

  test.each([
    ['forward', 1],
    ['back', -1],
  ])('N13: waits as long as it was told if the clock jumps %s meanwhile', async (_, years) => {
    const started = performance.now();
    await change('192.0.2.20', 0.2);
    jumped = years * 365 * 24 * 3_600_000;
    await until(() => address().ip === '192.0.2.10', 5000);
    expect(performance.now() - started).toBeGreaterThan(190);
    await change('192.0.2.20', 30);
    jumped = 0;
    registry.confirm(actor, 'address');
    expect(address().ip).toBe('192.0.2.20');
  });

  test('returns to the value before the first of several', async () => {
    await change('192.0.2.20', 30);
    await change('192.0.2.30', 0.03);
    await until(() => address().ip === '192.0.2.10');
  });

  test('is final if a later change needs no confirmation', async () => {
    await change('192.0.2.20', 30);
    await change('192.0.2.30');
    expect(shown().unconfirmed).toBeUndefined();
    begin();
    expect(address().ip).toBe('192.0.2.30');
  });

  test('stays until the old value can apply again', async () => {
    await change('192.0.2.20', 0.02);
    refuses = '192.0.2.10';
    await until(() => refusals > 0);
    expect(address().ip).toBe('192.0.2.20');
    expect(shown().unconfirmed).toBeDefined();
  });

  test.each([
    ['a stored value', ['192.0.2.20', '192.0.2.30'], '192.0.2.20'],
    ['the initial value', ['192.0.2.30'], '192.0.2.10'],
  ] as const)('is reverted to %s at the next start, as after a power cut', async (_, ips, expected) => {
    for (const ip of ips) await change(ip, ip === '192.0.2.30' ? 600 : undefined);
    registry.close();
    begin();
    expect(address().ip).toBe(expected);
    expect(shown().unconfirmed).toBeUndefined();
    expect(actions().at(-1)).toStartWith('settings.revert');
  });
});

test('a value that cannot take effect changes nothing', async () => {
  refuses = '192.0.2.20';
  await expect(change('192.0.2.20', 30)).rejects.toThrow('in use');
  expect([address().ip, actions(), shown().unconfirmed]).toEqual(['192.0.2.10', [], undefined]);
});

test('exactly one registered group is accepted', () => {
  const schema = registry.changeSchema();
  expect(schema.safeParse({ address: { ip: 'x' } }).success).toBe(true);
  for (const wrong of [{}, { port: 1 }, { address: {} }, { address: { ip: 'x' }, 'confirm-within': 5 }]) {
    expect(schema.safeParse(wrong).success).toBe(false);
  }
});

test('while a change that can cut off its author waits elsewhere, another one is refused, and is claimed otherwise', async () => {
  const claimed: string[] = [];
  let isOther = true;
  registry.register<Address, Address>({
    ...{ name: 'web', schema: z.object({ ip: z.string() }), initial: { ip: '192.0.2.10' } },
    ...{ show: (now) => now, merge: (_, change) => change, describe: () => [] },
  });
  registry.shareConfirmation(async ({ user, seconds }) => {
    if (isOther) throw new HubError('stateChanged', 'another change waits');
    claimed.push(`${user} ${seconds}`);
    return () => claimed.push('end');
  });
  const web = (ip: string, seconds: number) =>
    registry.change(actor, { web: { ip }, 'confirm-within': seconds }, { mayWeaken: true });
  await expect(web('192.0.2.11', 60)).rejects.toMatchObject({ result: 'stateChanged' });
  expect(registry.stored('web')).toEqual({ ip: '192.0.2.10' });
  isOther = false;
  await web('192.0.2.11', 60);
  await web('192.0.2.12', 60);
  expect(claimed).toEqual(['Admin 60']);
  registry.confirm(actor, 'web');
  expect(claimed).toEqual(['Admin 60', 'end']);
  // One that is final at once ends with its call.
  await registry.change(actor, { web: { ip: '192.0.2.13' } }, { mayWeaken: true });
  expect(claimed).toEqual(['Admin 60', 'end', 'Admin 0', 'end']);
  // Settings that cannot cut off a user need no confirmation.
  isOther = true;
  await registry.change(actor, { address: { ip: '192.0.2.66' }, 'confirm-within': 60 }, { mayWeaken: true });
});
