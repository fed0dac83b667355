/** MPEG transport streams: packets, tables, PES packets and audio frames. */

import { AdtsReader } from '../../../daemon/engine/codec/aac.ts';
import { packetSize } from '../../../daemon/engine/mpegts/packet.ts';
import { packetsOf, withChecksum } from '../../../daemon/engine/mpegts/psi.ts';
import { createTsBus } from '../../../daemon/engine/mpegts/ts-bus.ts';
import { createTsSink } from '../../../daemon/engine/mpegts/ts-sink.ts';
import { TsToFlv } from '../../../daemon/engine/remux/ts-to-flv.ts';
import { spaced } from '../../support/spaced-packets.ts';
import type { WorstCase } from '../worst-case.ts';

/** The largest socket read or endpoint batch. */
const readBytes = 64 << 10;
const readPackets = Math.floor(readBytes / packetSize);
const pmtPid = 0x1000;
const [videoPid, audioPid] = [0x100, 0x101];

interface SinkInput {
  readonly before: readonly Uint8Array[];
  readonly read: Uint8Array;
}

/** Returns two cases: the whole stream, and the single program that `choice` selects. */
function sink(input: string, make: () => SinkInput): readonly WorstCase[] {
  return [undefined, { program: 9999, audioTrack: 1 }].map((choice) => ({
    parser: choice ? 'TS with a chosen program' : 'TS',
    input,
    prepare() {
      const { before, read } = make();
      const sink = createTsSink(createTsBus(), choice);
      for (const bytes of before) sink.write(bytes);
      return () => sink.write(read);
    },
  }));
}

function pat(
  programs: readonly (readonly [number, number])[],
  section: { number: number; last: number; version: number },
) {
  const length = 5 + 4 * programs.length + 4;
  const head = [
    0,
    0xb0 | (length >> 8),
    length & 0xff,
    0,
    1,
    0xc1 | (section.version << 1),
    section.number,
    section.last,
  ];
  return withChecksum(
    Uint8Array.from([
      ...head,
      ...programs.flatMap(([number, pid]) => [number >> 8, number & 255, 0xe0 | (pid >> 8), pid & 255]),
    ]),
  );
}

function pmt(number: number, streams: readonly (readonly [number, number])[], infoBytes: number) {
  const length = 9 + infoBytes + 5 * streams.length + 4;
  const head = [
    2,
    0xb0 | (length >> 8),
    length & 0xff,
    number >> 8,
    number & 255,
    0xc1,
    0,
    0,
    0xe1,
    0,
    0xf0 | (infoBytes >> 8),
    infoBytes & 255,
  ];
  const entries = streams.flatMap(([type, pid]) => [type, 0xe0 | (pid >> 8), pid & 255, 0xf0, 0]);
  return withChecksum(Uint8Array.from([...head, ...Array<number>(infoBytes).fill(0xff), ...entries]));
}

/** Packs the sections back to back into as few packets as possible. */
function carried(sections: readonly Uint8Array[], pid: number): Uint8Array {
  const bytes = Buffer.concat([Buffer.of(0), ...sections]);
  const packets = Buffer.alloc(Math.ceil(bytes.length / 184) * packetSize, 0xff);
  for (let at = 0, from = 0; from < bytes.length; at += packetSize, from += 184) {
    packets.set([0x47, (from === 0 ? 0x40 : 0) | (pid >> 8), pid & 0xff, 0x10 | ((at / packetSize) & 15)], at);
    packets.set(bytes.subarray(from, from + 184), at + 4);
  }
  return packets;
}

const repeated = (piece: Uint8Array) => Buffer.concat(Array(Math.floor(readBytes / piece.length)).fill(piece));
const one = { number: 0, last: 0, version: 0 };
const tables = [
  packetsOf(pat([[1, pmtPid]], one), 0, 0),
  packetsOf(
    pmt(
      1,
      [
        [27, videoPid],
        [15, audioPid],
      ],
      0,
    ),
    pmtPid,
    0,
  ),
];
/** A PAT of 255 sections with 1000 programs each. */
const longPat = () =>
  Array.from({ length: 255 }, (_, number) =>
    packetsOf(
      pat(
        Array.from({ length: 1000 }, (_, i) => [(i & 0x1fff) + 1, pmtPid] as const),
        { number, last: 255, version: 1 },
      ),
      0,
      number * 22,
    ),
  );
const smallSections = (make: (i: number) => Uint8Array) =>
  Array.from({ length: Math.floor((readPackets * 184) / make(0).length) }, (_, i) => make(i));

function packet(pid: number, control: number, body: readonly number[], isStart: boolean): Uint8Array {
  const bytes = new Uint8Array(packetSize).fill(0xff);
  bytes.set([0x47, (isStart ? 0x40 : 0) | (pid >> 8), pid & 0xff, control, ...body]);
  return bytes;
}
const pes = [0, 0, 1, 0xe0, 0, 0, 0x80, 0, 0];
/** A packet with the random access indicator that starts a PES packet. */
const entry = (payload: readonly number[]) =>
  packet(
    videoPid,
    0x30,
    [180 - payload.length + 2, 0x40, ...Array<number>(180 - payload.length + 1).fill(0xff), ...payload],
    true,
  );

function remux(input: string, make: () => { before: Uint8Array; read: Uint8Array }): WorstCase {
  return {
    parser: 'TS to FLV',
    input,
    prepare() {
      const converter = new TsToFlv({ message: () => {}, soundFits: () => {} });
      converter.setStreams({ video: { pid: videoPid, codec: 'h264' }, audio: { pid: audioPid, codec: 'aac' } });
      const { before, read } = make();
      converter.write(before);
      return () => converter.write(read);
    },
  };
}

/** Returns a PES packet of `bytes` bytes without a length, and the packet that ends it by starting the next one. */
function longPes(pid: number, bytes: number, fill: (at: number) => number): { before: Uint8Array; read: Uint8Array } {
  const count = Math.ceil(bytes / 184);
  const packets = Buffer.alloc(count * packetSize);
  for (let i = 0; i < count; i++) {
    const at = i * packetSize;
    packets.set([0x47, (i === 0 ? 0x40 : 0) | (pid >> 8), pid & 0xff, 0x10 | (i & 15)], at);
    for (let j = 0; j < 184; j++) packets[at + 4 + j] = fill(i * 184 + j);
    if (i === 0) packets.set(pes, at + 4);
  }
  const end = packet(pid, 0x10 | (count & 15), pes, true);
  return { before: packets, read: end };
}

const adts = (input: string, makeBytes: () => Uint8Array): WorstCase => ({
  parser: 'ADTS',
  input,
  prepare() {
    const bytes = makeBytes();
    const reader = new AdtsReader(() => {});
    return () => reader.feed(bytes);
  },
});

const pesBytes = (8 << 20) - 400;
const sps = (i: number) => [
  0,
  0,
  1,
  0x67,
  0x42,
  0xc0,
  0x1e,
  i >> 8,
  i & 255,
  0x80,
  0,
  0,
  1,
  0x68,
  0xce,
  0x3c,
  0x80,
  0,
  0,
  1,
  0x65,
  0x88,
  0x80,
];

export const tsCases: readonly WorstCase[] = [
  ...sink('noise', () => ({ before: [], read: Buffer.alloc(readBytes, 1) })),
  ...sink('sync bytes', () => ({ before: tables, read: Buffer.alloc(readBytes, 0x47) })),
  ...sink('every other byte a sync byte', () => ({
    before: [],
    read: Buffer.alloc(readBytes).map((_, i) => (i % 2 ? 0x47 : 0)),
  })),
  ...sink('sync bytes that packets of no size have', () => ({
    before: [],
    read: Buffer.alloc(readBytes).map((_, i) => (i % 396 < 186 ? 0x47 : 0)),
  })),
  ...sink('packets 204 bytes apart', () => ({ before: [], read: spaced(repeated(entry(pes)), 204) })),
  ...sink('small PAT sections', () => ({
    before: tables,
    read: carried(
      smallSections((i) => pat([[1, 0x1001 + (i & 1)]], one)),
      0,
    ),
  })),
  ...sink('PATs while the PMT is long', () => ({
    before: [tables[0]!, packetsOf(pmt(1, [], 4000), pmtPid, 0)],
    read: carried(
      smallSections((i) =>
        pat(
          [
            [1, pmtPid],
            [2 + (i & 1), 0x200],
          ],
          one,
        ),
      ),
      0,
    ),
  })),
  ...sink('small PMT sections', () => ({
    before: tables,
    read: carried(
      smallSections((i) => pmt(1, [[27, videoPid + (i & 1)]], 0)),
      pmtPid,
    ),
  })),
  ...sink('small PMT sections after a PAT of 255,000 programs', () => ({
    before: longPat(),
    read: carried(
      smallSections(() => pmt(5000, [], 0)),
      pmtPid,
    ),
  })),
  ...sink('small PAT sections after a PAT of 255,000 programs', () => ({
    before: longPat(),
    read: carried(
      smallSections((i) => pat([[1, 0x1001 + (i & 1)]], { number: 0, last: 255, version: 1 })),
      0,
    ),
  })),
  ...sink('long sections', () => ({ before: tables, read: carried(Array(16).fill(pmt(1, [], 4000)), pmtPid) })),
  ...sink('random access points in every packet', () => ({ before: tables, read: repeated(entry(pes)) })),
  ...sink('random access points with parameter sets', () => ({
    before: tables,
    read: Buffer.concat(Array.from({ length: readPackets }, (_, i) => entry([...pes, ...sps(i)]))),
  })),
  remux('pictures with new parameter sets', () => ({
    before: new Uint8Array(0),
    read: Buffer.concat(Array.from({ length: readPackets }, (_, i) => entry([...pes, ...sps(i)]))),
  })),
  remux('an 8 MB picture', () => longPes(videoPid, pesBytes, (at) => at & 0xff)),
  remux('an 8 MB picture of zeros', () => longPes(videoPid, pesBytes, () => 0)),
  remux('an 8 MB picture of start codes', () =>
    longPes(videoPid, pesBytes, (at) => (at % 4 === 2 ? 1 : at % 4 === 3 ? 0x65 : 0)),
  ),
  remux('8 MB of audio noise', () => longPes(audioPid, pesBytes, (at) => at & 0xff)),
  remux('8 MB of ADTS headers', () =>
    longPes(audioPid, pesBytes, (at) => [0xff, 0xf1, 0x50, 0x80, 0x01, 0x1f, 0xfc, 0][at % 8] ?? 0),
  ),
  remux('8 MB of audio with all bits set', () => longPes(audioPid, pesBytes, () => 0xff)),
  adts('a PES packet of headers that nothing follows', () =>
    Buffer.alloc(65_535).map((_, i) => [0xff, 0xf1][i % 2] ?? 0),
  ),
];
