/** Reads the header of an audio frame that begins in a packet: sample rate, channels, and the MPEG audio layer. */
import { elementaryStart } from './access-unit.ts';
import { packetSize } from './packet.ts';

export interface SoundFormat {
  /** Set if the frames are more specific than the tables. */
  readonly codec?: string;
  /** Hertz. */
  readonly sampleRate: number;
  readonly channels: number;
}

const adtsRates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350];
/** MPEG-1 rates. MPEG-2 has halves of them, MPEG-2.5 quarters. */
const mpegRates = [44_100, 48_000, 32_000];
/** By the two version bits; 1 is reserved. */
const mpegRateDivisors = [4, 0, 2, 1];
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

/** ISO/IEC 13818-7, section 6.2. */
function readAdts(frame: Uint8Array): SoundFormat | undefined {
  const [sync, flags = 0, format = 0, channelBits = 0] = frame;
  if (frame.length < 4 || sync !== 0xff || (flags & 0xf6) !== 0xf0) return undefined;
  const sampleRate = adtsRates[(format >> 2) & 0x0f];
  const channels = ((format & 1) << 2) | (channelBits >> 6);
  return sampleRate === undefined ? undefined : { sampleRate, channels };
}

/** ISO/IEC 11172-3, section 2.4.1.3. */
function readMpegAudio(frame: Uint8Array): SoundFormat | undefined {
  const [sync, flags = 0, format = 0, mode = 0] = frame;
  const layer = 4 - ((flags >> 1) & 3);
  const rate = mpegRates[(format >> 2) & 3];
  const divisor = mpegRateDivisors[(flags >> 3) & 3];
  if (frame.length < 4 || sync !== 0xff || (flags & 0xe0) !== 0xe0 || layer === 4 || !rate || !divisor)
    return undefined;
  return { codec: `mp${layer}`, sampleRate: rate / divisor, channels: mode >> 6 === 3 ? 1 : 2 };
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
