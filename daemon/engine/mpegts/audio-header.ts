/** Reads the header of an audio frame that begins in a packet: sample rate, channels, and the MPEG audio layer. */
import { readAdtsFormat } from '../codec/aac.ts';
import { readMpegFormat } from '../codec/mpeg-audio.ts';
import { elementaryStart } from './access-unit.ts';
import { packetSize } from './packet.ts';

export interface SoundFormat {
  /** Set if the frames are more specific than the tables. */
  readonly codec?: string;
  /** Hertz. */
  readonly sampleRate: number;
  readonly channels: number;
}

const dolbyRates = [48_000, 44_100, 32_000];
/** By `acmod` (ETSI TS 102 366, table 4.3), without the low-frequency channel. */
const dolbyChannels = [2, 1, 2, 3, 3, 4, 4, 5];
/** The newest version of the AC-3 syntax; E-AC-3 is 16. */
const lastAc3Version = 10;

/** `codec`: as named by the tables. Returns undefined if no readable frame of it begins in the packet at `at`. */
export function readSound(data: Uint8Array, at: number, codec: string): SoundFormat | undefined {
  const from = elementaryStart(data, at);
  if (from < 0) return undefined;
  const frame = data.subarray(from, at + packetSize);
  if (codec === 'aac') return readAdts(frame);
  if (codec === 'mp2') return readMpegAudio(frame);
  return codec === 'ac3' || codec === 'eac3' ? readDolby(frame) : undefined;
}

function readAdts(frame: Uint8Array): SoundFormat | undefined {
  const format = readAdtsFormat(frame);
  return format && { sampleRate: format.rate, channels: format.channels };
}

function readMpegAudio(frame: Uint8Array): SoundFormat | undefined {
  const format = frame.length < 4 ? undefined : readMpegFormat(frame);
  return format && { codec: `mp${format.layer}`, sampleRate: format.rate, channels: format.channels };
}

/** ETSI TS 102 366: syncinfo and bsi of AC-3, and of E-AC-3 (annex E). */
function readDolby(frame: Uint8Array): SoundFormat | undefined {
  if (frame.length < 8 || frame[0] !== 0x0b || frame[1] !== 0x77) return undefined;
  const [format = 0, version = 0, mode = 0, rest = 0] = frame.subarray(4, 8);
  if (version >> 3 > lastAc3Version) return readEnhanced(format);
  const sampleRate = dolbyRates[format >> 6];
  const layout = mode >> 5;
  // Mix levels, depending on the layout, are between the layout and the low-frequency channel flag.
  const hasCentre = (layout & 1) !== 0 && layout !== 1;
  const levels = Number(hasCentre) + Number((layout & 4) !== 0) + Number(layout === 2);
  const lfe = (((mode << 8) | rest) >> (12 - 2 * levels)) & 1;
  return sampleRate === undefined ? undefined : { sampleRate, channels: (dolbyChannels[layout] ?? 2) + lfe };
}

function readEnhanced(format: number): SoundFormat | undefined {
  const code = format >> 6;
  const sampleRate = code < 3 ? dolbyRates[code] : (dolbyRates[(format >> 4) & 3] ?? 0) / 2;
  if (!sampleRate) return undefined;
  return { codec: 'eac3', sampleRate, channels: (dolbyChannels[(format >> 1) & 7] ?? 2) + (format & 1) };
}
