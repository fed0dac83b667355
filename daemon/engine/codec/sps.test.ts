import { describe, expect, test } from 'bun:test';
import { BitReader, unescapeNal } from './bit-reader.ts';
import { firstSps } from './decoder-config.ts';
import type { NalCodec } from './nal-units.ts';
import { parseH264Sps, readSps } from './sps.ts';

// Decoder configurations as x264 and x265 write them; ffprobe reports the expected values for the same files.
const avc = {
  baseline1080p30: '0142c028ffe100196742c028da01e0089f970110000003001000000303c0f1832a01000468ce0fc8',
  high320x180p25: '0164000cffe1001a6764000cacd941419f9f011000000300100000030320f142996001000668ebe3cb22c0fdf8f800',
  high422ntsc: '017a0028ffe10019677a0028b6cb403c0113f13808800001f480007530078c195001000468ce0fc8fefafa00',
  interlacedPal: '014d401effe10018674d401ef405a126c044000003000400000300c87c50aa8001000468de0fc8',
  high444p50: '01f4002affe1001b67f4002a919680780227e27011000003000100000300640f1832a001000568ce0f1920fff8f800',
};
const hevc = {
  main720p:
    '0101600000009000000000005df000fcfdf8f800000f04a00001001840010c01ffff01600000030090000003000003005d959409a10001002b42010101600000030090000003000003005da00280802d16595952930bc05a020000030002000003003c10',
  main10cropped:
    '01022000000090000000000078f000fcfdfafa00000f03a00001001840010c01ffff022000000300900000030000030078959409a10001002d420101022000000300900000030000030078a003c08011075336595952930bc05a020000030002000003003c10',
};
const bytes = (hex: string): Uint8Array => Buffer.from(hex, 'hex');

function read(codec: NalCodec, record: Uint8Array) {
  const sps = firstSps(codec, record);
  return sps && readSps(codec, sps);
}

describe('the H.264 parameter set', () => {
  test('tells size and rate', () => {
    expect(read('h264', bytes(avc.baseline1080p30))).toEqual({
      width: 1920,
      height: 1080,
      fps: 30,
    });
    expect(read('h264', bytes(avc.high320x180p25))).toEqual({
      width: 320,
      height: 180,
      fps: 25,
    });
  });

  test('crops 4:2:2 and 4:4:4 by their own units', () => {
    expect(read('h264', bytes(avc.high422ntsc))).toMatchObject({ height: 1080, fps: 29.97 });
    expect(read('h264', bytes(avc.high444p50))).toMatchObject({ height: 1080, fps: 50 });
  });

  test('counts both fields of an interlaced picture', () => {
    expect(read('h264', bytes(avc.interlacedPal))).toMatchObject({
      width: 720,
      height: 576,
      fps: 25,
      interlaced: true,
    });
  });

  test('is refused when truncated at any byte', () => {
    const whole = bytes(avc.high320x180p25);
    const spsEnd = 8 + 26;
    for (let length = 0; length < spsEnd; length++) expect(read('h264', whole.subarray(0, length))).toBeUndefined();
    const withoutVui = whole.subarray(8, 8 + 10);
    for (let length = 0; length < 10; length++) expect(parseH264Sps(withoutVui.subarray(0, length))).toBeUndefined();
  });
});

describe('the HEVC parameter set', () => {
  test('tells size and rate', () => {
    expect(read('hevc', bytes(hevc.main720p))).toEqual({
      width: 1280,
      height: 720,
      fps: 30,
    });
  });

  test('takes the conformance window off', () => {
    expect(read('hevc', bytes(hevc.main10cropped))).toEqual({
      width: 1918,
      height: 1078,
      fps: 30,
    });
  });

  test('is refused when truncated at any byte', () => {
    const whole = bytes(hevc.main720p);
    for (let length = 0; length < whole.length; length++) {
      expect(read('hevc', whole.subarray(0, length))).toBeUndefined();
    }
  });
});

describe('bits', () => {
  test('are read across bytes, also as Exp-Golomb codes', () => {
    const bits = new BitReader(Uint8Array.of(0b10100011, 0b00010000, 0));
    expect(bits.ue()).toBe(0);
    expect(bits.ue()).toBe(1);
    expect(bits.ue()).toBe(5);
    expect(bits.se()).toBe(2);
    expect(bits.isExhausted).toBe(false);
    bits.bits(32);
    expect(bits.isExhausted).toBe(true);
  });

  test('past the end never loop or throw', () => {
    const bits = new BitReader(new Uint8Array(0));
    expect(bits.ue()).toBe(0);
    expect(bits.isExhausted).toBe(true);
  });

  test('lose the escape bytes of a NAL unit', () => {
    const nal = Uint8Array.of(0x67, 0, 0, 3, 1, 0, 0, 3, 0, 0, 3);
    expect([...unescapeNal(nal)]).toEqual([0x67, 0, 0, 1, 0, 0, 0, 0]);
  });
});
