import { expect, test } from 'bun:test';
import { parseAacConfig, parseOpusConfig, parseSoundFlags } from './audio-config.ts';

const bytes = (hex: string): Uint8Array => Buffer.from(hex, 'hex');

test('AAC-LC gives rate and channels', () => {
  expect(parseAacConfig(bytes('1190'))).toEqual({ rate: 48_000, channels: 2 });
  expect(parseAacConfig(bytes('1208'))).toEqual({ rate: 44_100, channels: 1 });
  expect(parseAacConfig(bytes('11b0'))).toEqual({ rate: 48_000, channels: 6 });
});

test('HE-AAC gives the output rate of the decoder', () => {
  // Object type 5, core 24 kHz, stereo, extension 48 kHz; then type 29 (parametric stereo) with a mono core.
  expect(parseAacConfig(bytes('2b118800'))).toEqual({ rate: 48_000, channels: 2 });
  expect(parseAacConfig(bytes('eb098800'))).toEqual({ rate: 48_000, channels: 2 });
});

test('AAC with an explicit rate is read', () => {
  // Object type 2, rate index 15, 24 bits of rate, stereo.
  const bits = `00010${'1111'}${(37_800).toString(2).padStart(24, '0')}0010000`;
  expect(parseAacConfig(bytes(BigInt(`0b${bits}`).toString(16).padStart(10, '0')))).toEqual({
    rate: 37_800,
    channels: 2,
  });
});

test('a truncated or invalid AAC configuration is refused', () => {
  expect(parseAacConfig(bytes(''))).toBeUndefined();
  expect(parseAacConfig(bytes('11'))).toBeUndefined();
  expect(parseAacConfig(bytes('17ffff'))).toBeUndefined();
});

test('Opus decodes at 48 kHz with the channels of its head', () => {
  const head = Buffer.concat([Buffer.from('OpusHead'), bytes('0102380180bb0000000000')]);
  expect(parseOpusConfig(head)).toEqual({ rate: 48_000, channels: 2 });
  expect(parseOpusConfig(head.subarray(8))).toEqual({ rate: 48_000, channels: 2 });
  expect(parseOpusConfig(bytes(''))).toBeUndefined();
});

test('legacy audio flags give what the first byte can express', () => {
  expect(parseSoundFlags(0x2f)).toEqual({ rate: 44_100, channels: 2 });
  expect(parseSoundFlags(0x2a)).toEqual({ rate: 22_050, channels: 1 });
  expect(parseSoundFlags(0xb2)).toEqual({ rate: 16_000, channels: 1 });
});
