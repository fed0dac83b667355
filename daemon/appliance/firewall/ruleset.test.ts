import { expect, test } from 'bun:test';
import { type NftObject, openRanges, readingOf, rulesetCommands } from './ruleset.ts';
import { FirewallSetup } from './setup.ts';

const both = { tcp: true, udp: true };
const rule = (id: number, first: number, last = first) => ({ id, first, last, ...both });
const setup: FirewallSetup = { mode: -1, wan: ['eth1'], console: [80, 443], rules: [] };

test('F3: overlapping, adjacent and repeated ranges become ranges that do not overlap', () => {
  expect(openRanges([rule(1, 5000, 5010), rule(2, 5005, 5020), rule(3, 5000, 5010), rule(4, 5021)])).toEqual([
    { first: 5000, last: 5010, id: 1 },
    { first: 5011, last: 5020, id: 2 },
    { first: 5021, last: 5021, id: 4 },
  ]);
  expect(openRanges([rule(1, 10), rule(2, 1, 65_535)])).toEqual([
    { first: 1, last: 9, id: 2 },
    { first: 10, last: 10, id: 1 },
    { first: 11, last: 65_535, id: 2 },
  ]);
  expect(openRanges([])).toEqual([]);
});

test('F3: reversed ranges, zero, 65536, a rule without a protocol and too many rules are refused', () => {
  const isValid = (...rules: object[]) => FirewallSetup.safeParse({ ...setup, rules }).success;
  expect(isValid(rule(1, 1, 65_535))).toBe(true);
  expect(isValid(rule(1, 5010, 5000))).toBe(false);
  expect(isValid(rule(1, 0))).toBe(false);
  expect(isValid(rule(1, 65_536))).toBe(false);
  expect(isValid({ ...rule(1, 5000), tcp: false, udp: false })).toBe(false);
  expect(isValid(rule(1, 5000), rule(1, 5001))).toBe(false);
  expect(isValid(...Array.from({ length: 5000 }, (_, at) => rule(at + 1, at + 1)))).toBe(false);
  expect(FirewallSetup.safeParse({ ...setup, console: [] }).success).toBe(false);
});

test('F9: rules have no remark', () => {
  const remarked = { ...rule(1, 5000), remark: 'x' };
  expect(FirewallSetup.safeParse({ ...setup, rules: [remarked] }).success).toBe(false);
});

test('table, chains and maps are never deleted; the counter of a rule that is gone is deleted last', () => {
  const counter = (name: string) => ({ counter: { name, packets: 1, bytes: 2 } });
  const present: NftObject[] = [counter('refused'), counter('rule1'), counter('rule2'), { set: { name: 'callers4' } }];
  const { nftables } = rulesetCommands({ ...setup, rules: [rule(2, 5000)] }, present);
  const deleted = nftables.filter((command) => JSON.stringify(command).startsWith('{"delete"'));
  expect(deleted).toEqual([{ delete: { counter: { family: 'inet', table: 'signalbox', name: 'rule1' } } }]);
  expect(nftables.at(-1)).toBe(deleted[0] ?? null);
  expect(JSON.stringify(nftables)).not.toContain('"name":"rule2"');
});

test('the fingerprint depends on all but counters, handles and the addresses that are counted', () => {
  const table = { table: { name: 'signalbox', handle: 1 } };
  const callers = { set: { name: 'callers4', elem: ['192.0.2.1'] } };
  const counter = { counter: { name: 'rule1', packets: 1, bytes: 2 } };
  const { fingerprint } = readingOf([table, callers, counter]);
  const later = [
    { table: { name: 'signalbox', handle: 7 } },
    { set: { name: 'callers4' } },
    { counter: { name: 'rule1', packets: 9, bytes: 900 } },
  ];
  expect(readingOf(later)).toEqual({
    ...{ fingerprint, counters: [{ id: 1, packets: 9, bytes: 900 }], refused: { packets: 0, bytes: 0 } },
  });
  expect(readingOf([table, callers]).fingerprint).not.toBe(fingerprint);
  expect(readingOf([]).fingerprint).toBeNull();
});
