/** Tables, however they are cut into packets. Random values come from a seed, so that failures can be reproduced. */
import { describe, expect, test } from 'bun:test';
import { nullPid, packetSize, patPid, pidOf } from './packet.ts';
import { createSectionReader, packetsOf, withChecksum } from './psi.ts';
import { createTsScanner } from './scanner.ts';
import { streamsInPackets } from './tables.ts';

const pmtPid = 0x321;

function createRandom(seed: number) {
  let state = seed;
  /** From 0 to `end` (exclusive). */
  return (end: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
}
type Random = ReturnType<typeof createRandom>;

interface SectionOptions {
  readonly version?: number;
  /** False: the section announces a future version. */
  readonly isCurrent?: boolean;
  readonly number?: number;
  readonly last?: number;
}

function section(tableId: number, id: number, body: readonly number[], options: SectionOptions = {}): Uint8Array {
  const { version = 0, isCurrent = true, number = 0, last = 0 } = options;
  const length = 5 + body.length + 4;
  const head = [tableId, 0xb0 | (length >> 8), length & 0xff, id >> 8, id & 0xff];
  return withChecksum(Uint8Array.from([...head, 0xc0 | (version << 1) | Number(isCurrent), number, last, ...body]));
}

function pat(programs: readonly (readonly [number: number, pid: number])[], options?: SectionOptions): Uint8Array {
  const entries = programs.flatMap(([number, pid]) => [number >> 8, number & 0xff, 0xe0 | (pid >> 8), pid & 0xff]);
  return section(0, 9, entries, options);
}

/** Video on 0x100 and audio tracks on the PIDs after it, each with a description of this length. */
function pmt(number: number, sounds: number, describedBy = 0, options?: SectionOptions): Uint8Array {
  const description = describedBy > 0 ? [0x52, describedBy, ...Array<number>(describedBy).fill(7)] : [];
  const audio = Array.from({ length: sounds }, (_, i) => {
    const pid = 0x101 + i;
    return [15, 0xe0 | (pid >> 8), pid & 0xff, 0xf0, description.length, ...description];
  });
  return section(2, number, [0xe1, 0, 0xf0, 0, 27, 0xe1, 0, 0xf0, 0, ...audio.flat()], options);
}

/**
 * Sections of one PID in packets as a multiplexer may cut them: each packet takes any number of bytes and fills its
 * rest with an adaptation field; a section may start in the packet in which another ends, or after stuffing.
 */
function cut(sections: readonly Uint8Array[], pid: number, random: Random, firstCounter = 0): Uint8Array {
  const packets: Uint8Array[] = [];
  let counter = firstCounter;
  let left: { bytes: Uint8Array; isStarted: boolean }[] = sections.map((bytes) => ({ bytes, isStarted: false }));
  while (left.length > 0) {
    let room = 1 + random(183);
    const first = left[0]!;
    // The continued section ends before a pointer, which takes a byte, or fills the packet.
    const goesOn = first.isStarted ? first.bytes.length : 0;
    const hasStart = !first.isStarted || (left.length > 1 && goesOn + 2 <= room);
    const payload: number[] = [];
    const take = (count: number) => {
      const now = left[0]!;
      payload.push(...now.bytes.subarray(0, count));
      room -= Math.min(count, now.bytes.length);
      left[0] = { bytes: now.bytes.subarray(count), isStarted: true };
      if (left[0].bytes.length === 0) left = left.slice(1);
    };
    if (hasStart) {
      payload.push(goesOn);
      room--;
      if (goesOn > 0) take(goesOn);
      if (room === 0) room = 1;
    }
    while (left.length > 0 && room > 0 && (hasStart || left[0]!.isStarted)) take(room);
    const isStuffed = left.length === 0 || !left[0]!.isStarted;
    packets.push(packet({ pid, counter: counter++ & 15, hasStart, payload, isStuffed }));
  }
  return Buffer.concat(packets);
}

interface PacketParts {
  readonly pid: number;
  readonly counter: number;
  readonly hasStart: boolean;
  readonly payload: readonly number[];
  /** After the payload, rather than in an adaptation field. */
  readonly isStuffed: boolean;
}

function packet({ pid, counter, hasStart, payload, isStuffed }: PacketParts): Uint8Array {
  const bytes = new Uint8Array(packetSize).fill(0xff);
  const free = packetSize - 4 - payload.length;
  const hasField = !isStuffed && free > 0;
  bytes.set([0x47, (hasStart ? 0x40 : 0) | (pid >> 8), pid & 0xff, (hasField ? 0x30 : 0x10) | counter]);
  if (hasField) bytes.set(free === 1 ? [0] : [free - 1, 0], 4);
  bytes.set(payload, hasField ? 4 + free : 4);
  return bytes;
}

const nullPacket = packet({ pid: nullPid, counter: 0, hasStart: false, payload: [], isStuffed: true });
const packetsIn = (bytes: Uint8Array) =>
  Array.from({ length: bytes.length / packetSize }, (_, i) => bytes.subarray(i * packetSize, (i + 1) * packetSize));

/** Keeps the order of each, and mixes packets of the others in between. */
function mix(random: Random, ...streams: Uint8Array[]): Uint8Array {
  const queues = streams.map(packetsIn);
  const mixed: Uint8Array[] = [];
  while (queues.some(({ length }) => length > 0)) {
    const queue = queues[random(queues.length)]!;
    const next = queue.shift();
    if (next) mixed.push(next);
    if (random(3) === 0) mixed.push(nullPacket);
  }
  return Buffer.concat(mixed);
}

function scan(bytes: Uint8Array, scanner = createTsScanner()) {
  for (let at = 0; at < bytes.length; at += packetSize) scanner.scan(bytes, at);
  return scanner;
}
const pidsOf = ({ streams }: Pick<ReturnType<typeof createTsScanner>, 'streams'>) => streams.map(({ pid }) => pid);
const expectedPids = (sounds: number) => Array.from({ length: 1 + sounds }, (_, i) => 0x100 + i);

describe('sections cut at any place', () => {
  test('survive a round trip through the reader', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const random = createRandom(seed);
      const sections = Array.from({ length: 1 + random(6) }, (_, i) => pmt(i, random(20), random(30)));
      const reader = createSectionReader();
      const bytes = cut(sections, pmtPid, random, random(16));
      const found = packetsIn(bytes).flatMap((_, i) => reader.read(bytes, i * packetSize));
      expect({ seed, found: found.map((one) => Buffer.from(one).toString('hex')) }).toEqual({
        seed,
        found: sections.map((one) => Buffer.from(one).toString('hex')),
      });
    }
  });

  test('give the scanner every stream, and so do the tables that it keeps', () => {
    for (let seed = 1; seed <= 200; seed++) {
      const random = createRandom(seed);
      const sounds = random(40);
      const programs = Array.from(
        { length: 1 + random(200) },
        (_, i) => [i + 1, i === 0 ? pmtPid : 0x400 + i] as const,
      );
      const scanner = scan(cut([pat(programs)], patPid, random));
      scan(
        mix(random, cut([pmt(1, sounds, random(18))], pmtPid, random), cut([pat(programs)], patPid, random)),
        scanner,
      );
      expect({ seed, pids: pidsOf(scanner) }).toEqual({ seed, pids: expectedPids(sounds) });
      expect(streamsInPackets(scanner.tables)).toEqual([...scanner.streams]);
      expect(pidsOf(scan(scanner.tables))).toEqual(expectedPids(sounds));
    }
  });

  test('a corrupt byte or a missing packet makes a long table invalid, the next one is read', () => {
    const tables = pat([[1, pmtPid]]);
    const long = pmt(1, 30, 12);
    for (let seed = 1; seed <= 100; seed++) {
      const random = createRandom(seed);
      const good = packetsOf(long, pmtPid, 0);
      const spoilt = good.slice();
      // Not in a packet header, and not in the stuffing at the end.
      const at = random(good.length / packetSize - 1) * packetSize + 5 + random(180);
      spoilt[at]! ^= 1 << random(8);
      const missing = random(good.length / packetSize);
      const holed = Buffer.concat(packetsIn(good).filter((_, i) => i !== missing));
      for (const bad of [spoilt, holed]) {
        const scanner = scan(Buffer.concat([packetsOf(tables, patPid, 0), bad]));
        expect({ seed, pids: pidsOf(scanner), tables: scanner.tables.length }).toEqual({ seed, pids: [], tables: 0 });
        expect(pidsOf(scan(packetsOf(long, pmtPid, 9), scanner))).toEqual(expectedPids(30));
      }
    }
  });
});

describe('versions', () => {
  const both = (number: number, sounds: number, version: number) =>
    Buffer.concat([
      packetsOf(pat([[number, pmtPid]], { version }), patPid, version),
      packetsOf(pmt(number, sounds, 10, { version }), pmtPid, version),
    ]);

  test('a new version replaces streams and tables, a repeated one keeps the same objects', () => {
    const scanner = scan(both(1, 20, 0));
    const { streams, tables } = scanner;
    scan(both(1, 20, 0), scanner);
    expect(scanner.streams).toBe(streams);
    expect(scanner.tables).toBe(tables);
    scan(both(1, 3, 1), scanner);
    expect(pidsOf(scanner)).toEqual(expectedPids(3));
    expect(streamsInPackets(scanner.tables)).toEqual([...scanner.streams]);
  });

  test('a table that is not yet in force is ignored', () => {
    const scanner = scan(both(1, 2, 0));
    scan(packetsOf(pmt(1, 9, 0, { version: 1, isCurrent: false }), pmtPid, 1), scanner);
    scan(packetsOf(pat([[1, 0x400]], { version: 1, isCurrent: false }), patPid, 1), scanner);
    expect(pidsOf(scanner)).toEqual(expectedPids(2));
  });

  test('when the PMT moves to another PID, the old PID is ignored', () => {
    const scanner = scan(both(1, 2, 0));
    scan(packetsOf(pat([[1, 0x400]], { version: 1 }), patPid, 1), scanner);
    scan(packetsOf(pmt(1, 9), pmtPid, 1), scanner);
    expect(pidsOf(scanner)).toEqual(expectedPids(2));
    scan(packetsOf(pmt(1, 4), 0x400, 0), scanner);
    expect(pidsOf(scanner)).toEqual(expectedPids(4));
    expect(pidOf(scanner.tables, scanner.tables.length - packetSize)).toBe(0x400);
  });
});

describe('several programs', () => {
  test('that share the PID of their tables: the first in the PAT counts, whichever arrives first', () => {
    const shared = pat([
      [5, pmtPid],
      [6, pmtPid],
    ]);
    const scanner = scan(packetsOf(shared, patPid, 0));
    scan(cut([pmt(6, 9), pmt(5, 2), pmt(6, 9)], pmtPid, createRandom(1)), scanner);
    expect(pidsOf(scanner)).toEqual(expectedPids(2));
  });

  test('in a PAT of two sections: the first program is that of the first section, in whatever order they arrive', () => {
    const sections = [
      pat([[0, 0x10]], { last: 2 }),
      pat([[7, pmtPid]], { number: 1, last: 2 }),
      pat([[8, 0x400]], { number: 2, last: 2 }),
    ];
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 2, 0],
    ]) {
      const scanner = scan(
        cut(
          order.map((number) => sections[number]!),
          patPid,
          createRandom(3),
        ),
      );
      scan(packetsOf(pmt(8, 9), 0x400, 0), scanner);
      scan(packetsOf(pmt(7, 2), pmtPid, 0), scanner);
      expect(pidsOf(scanner)).toEqual(expectedPids(2));
    }
  });

  const three = pat([
    [1, 0x400],
    [2, 0x401],
    [3, pmtPid],
  ]);
  /** A PMT that lists only data streams. */
  const data = (number: number, version = 0) =>
    section(2, number, [0xff, 0xff, 0xf0, 0, 6, 0xe2, 0, 0xf0, 0], { version });

  test('the first one with video or audio counts: one without a PMT and one with only data are skipped', () => {
    const scanner = createTsScanner();
    for (let i = 0; i < 9; i++) {
      scan(Buffer.concat([packetsOf(three, patPid, i), packetsOf(data(2), 0x401, i)]), scanner);
      scan(packetsOf(pmt(3, 2), pmtPid, i), scanner);
    }
    expect(scanner.streams).toEqual([]);
    for (let i = 9; i < 11; i++) {
      scan(Buffer.concat([packetsOf(three, patPid, i), packetsOf(data(2), 0x401, i)]), scanner);
      scan(packetsOf(pmt(3, 2), pmtPid, i), scanner);
    }
    expect(pidsOf(scanner)).toEqual(expectedPids(2));
    expect(pidOf(scanner.tables, scanner.tables.length - packetSize)).toBe(pmtPid);
  });

  test('without video or audio in any of them the first one is used, and stays in use', () => {
    const scanner = createTsScanner();
    const seen = new Set<number>();
    for (let i = 0; i < 64; i++) {
      scan(packetsOf(three, patPid, i & 15), scanner);
      for (const [number, pid] of [
        [1, 0x400],
        [2, 0x401],
        [3, pmtPid],
      ] as const) {
        scan(packetsOf(data(number), pid, i & 15), scanner);
      }
      if (scanner.tables.length > 0) seen.add(pidOf(scanner.tables, scanner.tables.length - packetSize));
    }
    expect([...seen].at(-1)).toBe(0x400);
    expect(scanner.video ?? scanner.audio).toBeUndefined();
  });

  test('a program with a PID of its own may have a different number in its PMT than in the PAT', () => {
    const scanner = scan(packetsOf(pat([[1, pmtPid]]), patPid, 0));
    expect(pidsOf(scan(packetsOf(pmt(77, 2), pmtPid, 0), scanner))).toEqual(expectedPids(2));
  });
});

test('random packets on the PIDs of tables never throw', () => {
  const random = createRandom(11);
  const scanner = scan(packetsOf(pat([[1, pmtPid]]), patPid, 0));
  for (let round = 0; round < 5000; round++) {
    const bytes = Uint8Array.from({ length: packetSize }, () => random(256));
    const pid = random(2) === 0 ? patPid : pmtPid;
    bytes.set([0x47, (random(2) << 6) | (pid >> 8), pid & 0xff]);
    scanner.scan(bytes, 0);
  }
  expect(pidsOf(scan(packetsOf(pmt(1, 2), pmtPid, 0), scanner))).toEqual(expectedPids(2));
});
