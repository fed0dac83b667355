/** Sampling rate and channels from the decoder configuration of AAC and Opus, and from legacy sound flags. */
import { aacRates, parametricStereo, spectralBandReplication } from './aac.ts';
import { BitReader } from './bit-reader.ts';

export interface SoundFormat {
  readonly rate: number;
  readonly channels: number;
}

/** ISO/IEC 14496-3, table 1.19, by channel configuration. */
const aacChannels = [0, 1, 2, 3, 4, 5, 6, 8];
const explicitRate = 15;
const legacyRates = [5512, 11_025, 22_050, 44_100];

/** Reads an AudioSpecificConfig. For HE-AAC, rate and channels are those of the decoder's output. */
export function parseAacConfig(config: Uint8Array): SoundFormat | undefined {
  const bits = new BitReader(config);
  const objectType = readObjectType(bits);
  let rate = readRate(bits);
  const configuration = bits.bits(4);
  let channels = aacChannels[configuration];
  if (objectType === spectralBandReplication || objectType === parametricStereo) rate = readRate(bits);
  if (objectType === parametricStereo && channels === 1) channels = 2;
  if (bits.isExhausted || !rate || channels === undefined) return undefined;
  return { rate, channels };
}

/** Reads an OpusHead packet (RFC 7845, section 5.1), with or without its magic. Opus always decodes at 48 kHz. */
export function parseOpusConfig(config: Uint8Array): SoundFormat | undefined {
  const hasMagic = config.length >= 8 && new TextDecoder('latin1').decode(config.subarray(0, 8)) === 'OpusHead';
  const channels = config[hasMagic ? 9 : 1];
  return channels ? { rate: 48_000, channels } : undefined;
}

/** Reads the first byte of a legacy audio tag; exact for MP3 and PCM only. */
export function parseSoundFlags(first: number): SoundFormat {
  const fixedRates: Readonly<Record<number, number>> = { 4: 16_000, 5: 8000, 7: 8000, 8: 8000, 11: 16_000, 14: 8000 };
  const rate = fixedRates[first >> 4] ?? legacyRates[(first >> 2) & 3] ?? 44_100;
  return { rate, channels: (first & 1) + 1 };
}

function readObjectType(bits: BitReader): number {
  const type = bits.bits(5);
  return type === 31 ? 32 + bits.bits(6) : type;
}

function readRate(bits: BitReader): number {
  const index = bits.bits(4);
  return index === explicitRate ? bits.bits(24) : (aacRates[index] ?? 0);
}
