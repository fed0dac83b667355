/**
 * The packet filter as nftables commands in JSON (libnftables-json(5)), carried out as one transaction. Table, chains
 * and maps are kept and only flushed: a table that is deleted and made again drops packets until its rules are there.
 */
import { createHash } from 'node:crypto';
import type { FirewallReading, FirewallRule, FirewallSetup } from './setup.ts';

export const table = { family: 'inet', name: 'signalbox' } as const;
const inTable = { family: table.family, table: table.name } as const;

/** Addresses with as many new connections to the console per second as a browser never makes wait for the next one. */
const consoleLimit = { rate: 50, burst: 100, per: 'second' } as const;
/** Addresses that are counted at a time. While more of them connect, the others are not limited. */
const limitedAddresses = 8192;
const limitedForSeconds = 60;

const refusedCounter = 'refused';
const ruleCounter = (id: number) => `rule${id}`;
const protocols = ['tcp', 'udp'] as const;
const openPorts = { tcp: 'open_tcp', udp: 'open_udp' } as const;
const families = ['ip', 'ip6'] as const;
/** Addresses that connected to the console. */
const callers = { ip: 'callers4', ip6: 'callers6' } as const;
const addressTypes = { ip: 'ipv4_addr', ip6: 'ipv6_addr' } as const;

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** `present`: the commands of `nft --json list table` for the table as it is, empty without one. */
export function rulesetCommands(setup: FirewallSetup, present: readonly NftObject[]): { nftables: Json[] } {
  const counters = new Set(present.flatMap(({ counter }) => counter?.name ?? []));
  const sets = new Set(present.flatMap(({ set }) => set?.name ?? []));
  const rules = setup.mode === -1 ? setup.rules : [];
  const wanted = new Set([refusedCounter, ...rules.map(({ id }) => ruleCounter(id))]);
  return {
    nftables: [
      { add: { table } },
      ...[...wanted].filter((name) => !counters.has(name)).map((name) => ({ add: { counter: { ...inTable, name } } })),
      ...protocols.flatMap((protocol) => emptyMap(openPorts[protocol])),
      // nft 1.0.6 marks a new set as dynamic by itself, and refuses to add one that it has marked.
      ...families.filter((family) => !sets.has(callers[family])).map((family) => ({ add: { set: callerSet(family) } })),
      { add: { chain: { ...inTable, name: 'wan' } } },
      { add: { chain: { ...inTable, name: 'input', type: 'filter', hook: 'input', prio: 0, policy: 'drop' } } },
      { flush: { chain: { ...inTable, name: 'input' } } },
      { flush: { chain: { ...inTable, name: 'wan' } } },
      ...protocols.flatMap((protocol) => portElements(protocol, rules)),
      ...inputRules(setup).map((expr) => ({ add: { rule: { ...inTable, chain: 'input', expr } } })),
      ...wanRules(setup.mode).map((expr) => ({ add: { rule: { ...inTable, chain: 'wan', expr } } })),
      // A counter can be deleted only when nothing refers to it any more.
      ...[...counters]
        .filter((name) => !wanted.has(name))
        .map((name) => ({ delete: { counter: { ...inTable, name } } })),
    ],
  };
}

function emptyMap(name: string): Json[] {
  return [
    { add: { map: { ...inTable, name, type: 'inet_service', map: 'counter', flags: ['interval'] } } },
    { flush: { map: { ...inTable, name } } },
  ];
}

function callerSet(family: keyof typeof callers): Json {
  return {
    ...{ ...inTable, name: callers[family], type: addressTypes[family] },
    ...{ flags: ['timeout'], size: limitedAddresses, timeout: limitedForSeconds },
  };
}

function portElements(protocol: (typeof protocols)[number], rules: readonly FirewallRule[]): Json[] {
  const elem = openRanges(rules.filter((rule) => rule[protocol])).map(({ first, last, id }) => [
    first === last ? first : { range: [first, last] },
    ruleCounter(id),
  ]);
  return elem.length === 0 ? [] : [{ add: { element: { ...inTable, name: openPorts[protocol], elem } } }];
}

/** Ranges that do not overlap, in order of their ports. A port that several rules open counts for the first of them. */
export function openRanges(rules: readonly FirewallRule[]): { first: number; last: number; id: number }[] {
  // Per port the place of its rule, from 1.
  const places = new Uint16Array(65_537);
  for (const [place, { first, last }] of [...rules.entries()].toReversed()) places.fill(place + 1, first, last + 1);
  const ranges = [];
  for (let first = 1; first <= 65_535; ) {
    let last = first;
    while (last < 65_535 && places[last + 1] === places[first]) last += 1;
    const rule = rules[(places[first] ?? 0) - 1];
    if (rule) ranges.push({ first, last, id: rule.id });
    first = last + 1;
  }
  return ranges;
}

const accept = { accept: null };
const drop = { drop: null };
const match = (left: Json, right: Json, op = '=='): Json => ({ match: { op, left, right } });
const meta = (key: string): Json => ({ meta: { key } });
const ct = (key: string): Json => ({ ct: { key } });
const field = (protocol: string, name: string): Json => ({ payload: { protocol, field: name } });

function inputRules({ wan, console: ports }: FirewallSetup): Json[][] {
  const isConsole = match(field('tcp', 'dport'), { set: ports });
  return [
    [match(meta('iifname'), 'lo'), accept],
    // Without a WAN interface, nothing is filtered.
    wan.length === 0 ? [accept] : [match(meta('iifname'), { set: wan }, '!='), accept],
    // Only answers: when a port is closed, connections that others made to it end at once.
    [match(ct('state'), 'established', 'in'), match(ct('direction'), 'reply'), accept],
    [match(ct('state'), 'related', 'in'), accept],
    ...families.map((family) => [
      isConsole,
      match(ct('state'), 'new', 'in'),
      {
        set: {
          ...{ op: 'add', elem: field(family, 'saddr'), set: `@${callers[family]}` },
          stmt: [{ limit: { ...consoleLimit, inv: true } }],
        },
      },
      drop,
    ]),
    [isConsole, accept],
    // ICMP of IPv4 and IPv6, whose names nft knows only with the package netbase.
    [match(meta('l4proto'), { set: [1, 58] }), accept],
    // The DHCP client, of IPv4 and IPv6.
    [match(field('udp', 'dport'), { set: [68, 546] }), accept],
    [{ jump: { target: 'wan' } }],
  ];
}

function wanRules(mode: FirewallSetup['mode']): Json[][] {
  if (mode === 1) return [[accept]];
  const refuse = [{ counter: refusedCounter }, drop];
  if (mode === 0) return [refuse];
  // One lookup finds out whether the port is open and which rule counts it.
  return [
    ...protocols.map((protocol) => [
      { counter: { map: { key: field(protocol, 'dport'), data: `@${openPorts[protocol]}` } } },
      accept,
    ]),
    refuse,
  ];
}

/** An object of `nft --json list table`, as far as it is read here. */
export interface NftObject {
  readonly counter?: { readonly name: string; readonly packets: number; readonly bytes: number };
  readonly set?: { readonly name: string };
  readonly [kind: string]: unknown;
}

/** `present`: as for `rulesetCommands`. */
export function readingOf(present: readonly NftObject[]): FirewallReading {
  const counted = present.flatMap(({ counter }) => (counter ? [counter] : []));
  const traffic = ({ packets, bytes }: { packets: number; bytes: number }) => ({ packets, bytes });
  const refused = counted.find(({ name }) => name === refusedCounter) ?? { packets: 0, bytes: 0 };
  const ofRules = counted.flatMap(({ name, ...counter }) => {
    const [, id] = /^rule(\d+)$/.exec(name) ?? [];
    return id === undefined ? [] : [{ id: Number(id), ...traffic(counter) }];
  });
  return { fingerprint: fingerprintOf(present), counters: ofRules, refused: traffic(refused) };
}

/** Of all that decides which packets pass. */
function fingerprintOf(present: readonly NftObject[]): string | null {
  if (present.length === 0) return null;
  const isCallers = (name: string | undefined) => name === callers.ip || name === callers.ip6;
  const lasting = present.map((object) => (isCallers(object.set?.name) ? { set: object.set?.name } : object));
  const text = JSON.stringify(lasting, (key, value) => (varying.has(key) ? undefined : value));
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

const varying = new Set(['handle', 'packets', 'bytes']);
