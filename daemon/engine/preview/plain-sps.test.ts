import { expect, test } from 'bun:test';
import { parseH264Sps, parseHevcSps } from '../codec/sps.ts';
import { plainSps } from './plain-sps.ts';

const bytes = (hex: string): Uint8Array => Buffer.from(hex, 'hex');
/** As x264 and x265 write them with pictures that reference later ones. */
const avc = bytes('6764000cacd941419f9f011000000300100000030320f1429960');
const hevc = bytes(
  '420101016000000300900000030000 03005da00280802d16595952930bc05a020000030002000003003c10'.replace(' ', ''),
);

test('an H.264 set loses only its usability information', () => {
  const { fps, ...format } = parseH264Sps(avc) ?? {};
  expect(fps).toBe(25);
  const plain = plainSps('h264', avc);
  expect(plain.length).toBeLessThan(avc.length);
  expect(parseH264Sps(plain)).toEqual(format as ReturnType<typeof parseH264Sps> & object);
  expect(plainSps('h264', plain)).toEqual(plain);
});

test('an HEVC set loses only its reordering', () => {
  const plain = plainSps('hevc', hevc);
  expect(plain).not.toEqual(hevc);
  expect(parseHevcSps(plain)).toEqual(parseHevcSps(hevc)!);
  expect(plainSps('hevc', plain)).toEqual(plain);
});

test('a truncated set stays unchanged', () => {
  for (const [codec, set] of [
    ['h264', avc],
    ['hevc', hevc],
  ] as const) {
    for (let length = 1; length < 8; length++) {
      expect(plainSps(codec, set.subarray(0, length))).toEqual(set.subarray(0, length));
    }
  }
});
