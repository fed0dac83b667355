/** Picture size, profile, level and frame rate from H.264 and HEVC sequence parameter sets. */
import { BitReader, unescapeNal } from './bit-reader.ts';
import { readHevcOrder, readHevcTiming } from './hevc-sps.ts';
import { readH264ReorderDepth, readH264Timing, skipDisplay } from './vui.ts';

export interface PictureFormat {
  readonly width: number;
  readonly height: number;
  readonly profile: string;
  readonly level: string;
  /** Frames per second, if the parameter set contains it. */
  readonly fps?: number;
  /** Pictures may consist of two fields. */
  readonly interlaced?: true;
}

const h264Profiles: Readonly<Record<number, string>> = {
  66: 'Baseline',
  77: 'Main',
  88: 'Extended',
  100: 'High',
  110: 'High 10',
  122: 'High 4:2:2',
  244: 'High 4:4:4',
};

const hevcProfiles: Readonly<Record<number, string>> = {
  1: 'Main',
  2: 'Main 10',
  3: 'Main Still',
  4: 'Range Extensions',
};

/** Profiles whose parameter set contains chroma format and scaling lists (H.264, 7.3.2.1.1). */
const h264HighProfiles = new Set([100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]);

const baselineProfile = 66;
/** Largest decoded picture buffer of both codecs (H.264, A.3.1; H.265, A.4.2). */
const maxReorderDepth = 16;

const maxDimension = 16_384;

/** Reads an AVCDecoderConfigurationRecord (the body of an H.264 sequence header). */
export function parseAvcConfig(config: Uint8Array): PictureFormat | undefined {
  const count = (config[5] ?? 0) & 0x1f;
  if (config[0] !== 1 || count === 0 || config.length < 8) return undefined;
  const length = ((config[6] ?? 0) << 8) | (config[7] ?? 0);
  return config.length < 8 + length ? undefined : parseH264Sps(config.subarray(8, 8 + length));
}

/** `nal` begins with the NAL unit header byte. */
export function parseH264Sps(nal: Uint8Array): PictureFormat | undefined {
  if (nal.length < 4 || ((nal[0] ?? 0) & 0x1f) !== 7) return undefined;
  const bits = new BitReader(unescapeNal(nal.subarray(1)));
  const { profileIdc, constraints, levelIdc, width, height, framesOnly } = readH264UpToVui(bits);
  if (bits.isExhausted || !isPlausible(width, height)) return undefined;
  const fps = bits.bit() ? readH264FrameRate(bits) : undefined;
  const isConstrainedBaseline = profileIdc === 66 && (constraints & 0x40) !== 0;
  return {
    width,
    height,
    profile: isConstrainedBaseline ? 'Constrained Baseline' : (h264Profiles[profileIdc] ?? `Profile ${profileIdc}`),
    level: (levelIdc / 10).toFixed(1),
    ...(fps === undefined ? {} : { fps }),
    ...(!framesOnly && { interlaced: true }),
  };
}

function readH264FrameRate(bits: BitReader): number | undefined {
  skipDisplay(bits);
  const timing = readH264Timing(bits);
  if (!timing || bits.isExhausted || timing.unitsInTick === 0) return undefined;
  return roundRate(timing.timeScale / timing.unitsInTick / 2);
}

/** Advances the reader from after the NAL header to the flag for the presence of video usability information. */
export function readH264UpToVui(bits: BitReader) {
  const profileIdc = bits.bits(8);
  const constraints = bits.bits(8);
  const levelIdc = bits.bits(8);
  bits.ue();
  const chroma = h264HighProfiles.has(profileIdc) ? readHighProfileFields(bits) : 1;
  const frameBits = bits.ue() + 4;
  const orderType = skipOrderFields(bits);
  bits.ue();
  bits.skip(1);
  const widthInBlocks = bits.ue() + 1;
  const heightInUnits = bits.ue() + 1;
  const framesOnly = bits.bit();
  if (!framesOnly) bits.skip(1);
  bits.skip(1);
  const cropUnitX = chroma === 1 || chroma === 2 ? 2 : 1;
  const cropUnitY = (chroma === 1 ? 2 : 1) * (2 - framesOnly);
  const crop = bits.bit() ? [bits.ue(), bits.ue(), bits.ue(), bits.ue()] : [0, 0, 0, 0];
  const [left = 0, right = 0, top = 0, bottom = 0] = crop;
  const width = widthInBlocks * 16 - (left + right) * cropUnitX;
  const height = heightInUnits * 16 * (2 - framesOnly) - (top + bottom) * cropUnitY;
  return { profileIdc, constraints, levelIdc, width, height, framesOnly: framesOnly === 1, frameBits, orderType };
}

/** Returns the chroma format; 0 if the planes are coded separately, because cropping then counts single samples. */
function readHighProfileFields(bits: BitReader): number {
  const format = bits.ue();
  const isSeparate = format === 3 && bits.bit() === 1;
  bits.ue();
  bits.ue();
  bits.skip(1);
  if (bits.bit()) {
    const lists = format === 3 ? 12 : 8;
    for (let i = 0; i < lists; i++) if (bits.bit()) skipScalingList(bits, i < 6 ? 16 : 64);
  }
  return isSeparate ? 0 : format;
}

function skipScalingList(bits: BitReader, size: number): void {
  let last = 8;
  let next = 8;
  for (let i = 0; i < size && !bits.isExhausted; i++) {
    if (next !== 0) next = (last + bits.se() + 256) & 0xff;
    if (next !== 0) last = next;
  }
}

/** Returns `pic_order_cnt_type`. */
function skipOrderFields(bits: BitReader): number {
  const orderType = bits.ue();
  if (orderType === 0) {
    bits.ue();
  } else if (orderType === 1) {
    bits.skip(1);
    bits.se();
    bits.se();
    const cycle = Math.min(bits.ue(), 255);
    for (let i = 0; i < cycle && !bits.isExhausted; i++) bits.se();
  }
  return orderType;
}

/** Far larger than a decoder configuration record with all its parameter sets. An RTMP message may be up to 16 MB. */
export const maxConfigBytes = 256 << 10;

/** Reads an HEVCDecoderConfigurationRecord (the body of an HEVC sequence header). */
export function parseHevcConfig(config: Uint8Array): PictureFormat | undefined {
  if (config.length > maxConfigBytes) return undefined;
  const arrays = config[22] ?? 0;
  let offset = 23;
  for (let i = 0; i < arrays; i++) {
    const type = (config[offset] ?? 0) & 0x3f;
    const count = ((config[offset + 1] ?? 0) << 8) | (config[offset + 2] ?? 0);
    offset += 3;
    for (let unit = 0; unit < count; unit++) {
      const length = ((config[offset] ?? 0) << 8) | (config[offset + 1] ?? 0);
      const end = offset + 2 + length;
      if (end > config.length) return undefined;
      if (type === 33) return parseHevcSps(config.subarray(offset + 2, end));
      offset = end;
    }
  }
  return undefined;
}

/** `nal` begins with the two NAL unit header bytes. */
export function parseHevcSps(nal: Uint8Array): PictureFormat | undefined {
  if (nal.length < 4 || (((nal[0] ?? 0) >> 1) & 0x3f) !== 33) return undefined;
  const bits = new BitReader(unescapeNal(nal.subarray(2)));
  const { profileIdc, levelIdc, isInterlaced, maxSubLayersMinus1, width, height } = readHevcUpToDepths(bits);
  if (bits.isExhausted || !isPlausible(width, height)) return undefined;
  const { rate, isFields } = readHevcTiming(bits, maxSubLayersMinus1) ?? { isFields: false };
  const fps = rate === undefined ? undefined : roundRate(isFields ? rate / 2 : rate);
  return {
    width,
    height: isFields ? height * 2 : height,
    profile: hevcProfiles[profileIdc] ?? `Profile ${profileIdc}`,
    level: (levelIdc / 30).toFixed(1),
    ...(fps === undefined ? {} : { fps }),
    ...((isFields || isInterlaced) && { interlaced: true }),
  };
}

/** Advances the reader from after the NAL header to the bit depths. */
export function readHevcUpToDepths(bits: BitReader) {
  bits.skip(4);
  const maxSubLayersMinus1 = bits.bits(3);
  bits.skip(1);
  const { profileIdc, levelIdc, isInterlaced } = readProfileTierLevel(bits, maxSubLayersMinus1);
  bits.ue();
  const chroma = bits.ue();
  if (chroma === 3) bits.skip(1);
  const codedWidth = bits.ue();
  const codedHeight = bits.ue();
  const window = bits.bit() ? [bits.ue(), bits.ue(), bits.ue(), bits.ue()] : [0, 0, 0, 0];
  const [left = 0, right = 0, top = 0, bottom = 0] = window;
  const width = codedWidth - (left + right) * (chroma === 1 || chroma === 2 ? 2 : 1);
  const height = codedHeight - (top + bottom) * (chroma === 1 ? 2 : 1);
  return { profileIdc, levelIdc, isInterlaced, maxSubLayersMinus1, width, height };
}

/** Advances the reader past the general and all sub-layer levels (H.265, 7.3.3). */
export function readProfileTierLevel(
  bits: BitReader,
  maxSubLayersMinus1: number,
): { profileIdc: number; levelIdc: number; isInterlaced: boolean } {
  bits.skip(3);
  const profileIdc = bits.bits(5);
  bits.skip(32);
  const [isProgressive, hasFields] = [bits.bit(), bits.bit()];
  bits.skip(46);
  const levelIdc = bits.bits(8);
  const present: [number, number][] = [];
  for (let i = 0; i < maxSubLayersMinus1; i++) present.push([bits.bit(), bits.bit()]);
  if (maxSubLayersMinus1 > 0) bits.skip((8 - maxSubLayersMinus1) * 2);
  for (const [profile, level] of present) bits.skip(profile * 88 + level * 8);
  return { profileIdc, levelIdc, isInterlaced: hasFields === 1 && isProgressive === 0 };
}

/**
 * Returns the maximum number of pictures that precede one in decoding order and follow it in output order; undefined if
 * the parameter set does not contain it. `nal` begins with its header.
 */
export function reorderDepth(codec: 'h264' | 'hevc', nal: Uint8Array): number | undefined {
  const bits = new BitReader(unescapeNal(nal.subarray(codec === 'h264' ? 1 : 2)));
  if (codec === 'hevc') {
    const { maxSubLayersMinus1 } = readHevcUpToDepths(bits);
    const { depth } = readHevcOrder(bits, maxSubLayersMinus1);
    return bits.isExhausted || depth > maxReorderDepth ? undefined : depth;
  }
  const { profileIdc, orderType } = readH264UpToVui(bits);
  // Baseline has no B pictures, and with order type 2, output order is decoding order (H.264, 8.2.1.3).
  if (profileIdc === baselineProfile || orderType === 2) return 0;
  if (!bits.bit()) return undefined;
  skipDisplay(bits);
  readH264Timing(bits);
  const depth = readH264ReorderDepth(bits);
  return depth === undefined || depth > maxReorderDepth ? undefined : depth;
}

function isPlausible(width: number, height: number): boolean {
  return width > 0 && height > 0 && width <= maxDimension && height <= maxDimension;
}

function roundRate(rate: number): number | undefined {
  return rate > 0 && rate <= 1000 ? Math.round(rate * 1000) / 1000 : undefined;
}
