import { expect, test } from 'bun:test';
import { buildConfig, parseConfig } from './decoder-config.ts';
import { type NalCodec, nalRole } from './nal-units.ts';
import { ParameterSets } from './parameter-sets.ts';

// As FFmpeg writes them for x264 and x265.
const records: readonly (readonly [NalCodec, string])[] = [
  ['h264', '0142c028ffe100196742c028da01e0089f970110000003001000000303c0f1832a01000468ce0fc8'],
  ['h264', '0164000cffe1001a6764000cacd941419f9f011000000300100000030320f142996001000668ebe3cb22c0fdf8f800'],
  ['h264', '017a0028ffe10019677a0028b6cb403c0113f13808800001f480007530078c195001000468ce0fc8fefafa00'],
  ['h264', '01f4002affe1001b67f4002a919680780227e27011000003000100000300640f1832a001000568ce0f1920fff8f800'],
];

const unitsOf = (codec: NalCodec, record: Uint8Array) => parseConfig(codec, record)!.sets;

test('a record is built from its parameter sets as FFmpeg builds it', () => {
  for (const [codec, hex] of records) {
    const record = Buffer.from(hex, 'hex');
    expect(parseConfig(codec, record)!.lengthSize).toBe(4);
    const sets = new ParameterSets(codec);
    expect(sets.take(unitsOf(codec, record))).toBe(true);
    expect(Buffer.from(sets.config!).toString('hex')).toBe(hex);
  }
});

test('a record cut at any byte is refused', () => {
  const record = Buffer.from(records[1]![1], 'hex');
  for (let length = 0; length < 43; length++) expect(parseConfig('h264', record.subarray(0, length))).toBeUndefined();
});

test('repeated parameter sets change nothing, different ones do', () => {
  const [first, second] = [records[0]!, records[1]!].map(([codec, hex]) => unitsOf(codec, Buffer.from(hex, 'hex')));
  const sets = new ParameterSets('h264');
  expect(sets.take([first![0]!])).toBe(false);
  expect(sets.config).toBeUndefined();
  expect(sets.take([first![1]!])).toBe(true);
  expect(sets.take([...first!, ...first!])).toBe(false);
  expect(sets.take(second!)).toBe(true);
  expect(unitsOf('h264', sets.config!)).toEqual([...second!].map((set) => Buffer.from(set)));
});

test('a picture parameter set replaces the one with its id and is kept beside others', () => {
  const [sps, pps] = unitsOf('h264', Buffer.from(records[0]![1], 'hex'));
  const sets = new ParameterSets('h264');
  sets.take([sps!, pps!]);
  // Id 0 starts with the bit 1, id 1 with 010.
  const [sameId, otherId] = [Uint8Array.of(0x68, 0xce, 0x0f, 0xc9), Uint8Array.of(0x68, 0x4e, 0x0f, 0xc8)];
  expect(sets.take([sameId])).toBe(true);
  expect(sets.take([otherId])).toBe(true);
  const kept = unitsOf('h264', sets.config!).filter((set) => nalRole('h264', set[0]!) === 'pps');
  expect(kept).toEqual([Buffer.from(sameId), Buffer.from(otherId)]);
});

test('no record is built while a kind of parameter set is missing', () => {
  expect(buildConfig('hevc', { vps: [], sps: [new Uint8Array(40)], pps: [new Uint8Array(4)] })).toBeUndefined();
  expect(buildConfig('h264', { vps: [], sps: [new Uint8Array(3)], pps: [new Uint8Array(4)] })).toBeUndefined();
});
