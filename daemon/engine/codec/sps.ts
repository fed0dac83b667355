/** Picture size and frame rate from sequence parameter sets of H.264 and HEVC, and from MPEG-1 and MPEG-2 headers. */
import { asBuffer } from '../../lib/bytes.ts';
import { BitReader, unescapeNal } from './bit-reader.ts';
import { readHevcOrder, readHevcTiming } from './hevc-sps.ts';
import { readH264ReorderDepth, readH264Timing, skipDisplay } from './vui.ts';

export interface PictureFormat {
  readonly width: number;
  readonly height: number;
  /** Frames per second, if the parameter set contains it. */
  readonly fps?: number;
  /** Pictures may consist of two fields. */
  readonly interlaced?: true;
}

/** Profiles whose parameter set contains chroma format and scaling lists (H.264, 7.3.2.1.1). */
const h264HighProfiles = new Set([100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]);

const baselineProfile = 66;
/** Largest decoded picture buffer of both codecs (H.264, A.3.1; H.265, A.4.2). */
const maxReorderDepth = 16;

const maxDimension = 16_384;

/** By `frame_rate_code`; 0 is forbidden. */
const frameRates = [0, 24_000 / 1001, 24, 25, 30_000 / 1001, 30, 50, 60_000 / 1001, 60];
const sequenceExtensionCode = Uint8Array.of(0, 0, 1, 0xb5);
const sequenceExtension = 1;

/** An SPS with all optional parts is smaller than a kilobyte; a larger unit than this is not a parameter set. */
export const maxSetBytes = 4096;

/** Reads a sequence parameter set of H.264 or HEVC, or a sequence header of MPEG-1 or MPEG-2. */
export function readSps(codec: string, sps: Uint8Array): PictureFormat | undefined {
  if (sps.length > maxSetBytes) return undefined;
  if (codec === 'h264') return parseH264Sps(sps);
  if (codec === 'hevc') return parseHevcSps(sps);
  return codec.startsWith('mpeg') ? readSequence(sps) : undefined;
}

/** `nal` begins with the NAL unit header byte. */
export function parseH264Sps(nal: Uint8Array): PictureFormat | undefined {
  if (nal.length < 4 || ((nal[0] ?? 0) & 0x1f) !== 7) return undefined;
  const bits = new BitReader(unescapeNal(nal.subarray(1)));
  const { width, height, framesOnly } = readH264UpToVui(bits);
  if (bits.isExhausted || !isPlausible(width, height)) return undefined;
  const fps = bits.bit() ? readH264FrameRate(bits) : undefined;
  return {
    width,
    height,
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
  // Constraints and level.
  bits.skip(16);
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
  return { profileIdc, width, height, framesOnly: framesOnly === 1, frameBits, orderType };
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

/** `nal` begins with the two NAL unit header bytes. */
export function parseHevcSps(nal: Uint8Array): PictureFormat | undefined {
  if (nal.length < 4 || (((nal[0] ?? 0) >> 1) & 0x3f) !== 33) return undefined;
  const bits = new BitReader(unescapeNal(nal.subarray(2)));
  const { isInterlaced, maxSubLayersMinus1, width, height } = readHevcUpToDepths(bits);
  if (bits.isExhausted || !isPlausible(width, height)) return undefined;
  const { rate, isFields } = readHevcTiming(bits, maxSubLayersMinus1) ?? { isFields: false };
  const fps = rate === undefined ? undefined : roundRate(isFields ? rate / 2 : rate);
  return {
    width,
    height: isFields ? height * 2 : height,
    ...(fps === undefined ? {} : { fps }),
    ...((isFields || isInterlaced) && { interlaced: true }),
  };
}

/** Advances the reader from after the NAL header to the bit depths. */
export function readHevcUpToDepths(bits: BitReader) {
  bits.skip(4);
  const maxSubLayersMinus1 = bits.bits(3);
  bits.skip(1);
  const isInterlaced = readProfileTierLevel(bits, maxSubLayersMinus1);
  bits.ue();
  const chroma = bits.ue();
  if (chroma === 3) bits.skip(1);
  const codedWidth = bits.ue();
  const codedHeight = bits.ue();
  const window = bits.bit() ? [bits.ue(), bits.ue(), bits.ue(), bits.ue()] : [0, 0, 0, 0];
  const [left = 0, right = 0, top = 0, bottom = 0] = window;
  const width = codedWidth - (left + right) * (chroma === 1 || chroma === 2 ? 2 : 1);
  const height = codedHeight - (top + bottom) * (chroma === 1 ? 2 : 1);
  return { isInterlaced, maxSubLayersMinus1, chroma, width, height };
}

/** Skips the general and all sub-layer levels (H.265, 7.3.3). Returns whether the pictures are interlaced. */
function readProfileTierLevel(bits: BitReader, maxSubLayersMinus1: number): boolean {
  bits.skip(40);
  const [isProgressive, hasFields] = [bits.bit(), bits.bit()];
  bits.skip(54);
  const present: [number, number][] = [];
  for (let i = 0; i < maxSubLayersMinus1; i++) present.push([bits.bit(), bits.bit()]);
  if (maxSubLayersMinus1 > 0) bits.skip((8 - maxSubLayersMinus1) * 2);
  for (const [profile, level] of present) bits.skip(profile * 88 + level * 8);
  return hasFields === 1 && isProgressive === 0;
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

/** Reads a sequence header with its extension (ISO/IEC 13818-2, 6.2.2). `bytes` begins with its code. */
function readSequence(bytes: Uint8Array): PictureFormat | undefined {
  const bits = new BitReader(bytes.subarray(1));
  const [width, height] = [bits.bits(12), bits.bits(12)];
  bits.skip(4);
  const rate = frameRates[bits.bits(4)] ?? 0;
  if (bits.isExhausted || width === 0 || height === 0) return undefined;
  const more = readSequenceExtension(bytes);
  const fps = Math.round(rate * (more?.rateFactor ?? 1) * 1000) / 1000;
  return {
    width: width + (more?.width ?? 0),
    height: height + (more?.height ?? 0),
    ...(fps > 0 && { fps }),
    ...(more?.isProgressive === false && { interlaced: true }),
  };
}

function readSequenceExtension(bytes: Uint8Array) {
  const at = asBuffer(bytes).indexOf(sequenceExtensionCode);
  if (at < 0) return undefined;
  const bits = new BitReader(bytes.subarray(at + sequenceExtensionCode.length));
  if (bits.bits(4) !== sequenceExtension) return undefined;
  bits.skip(8);
  const isProgressive = bits.bit() === 1;
  bits.skip(2);
  const [width, height] = [bits.bits(2) << 12, bits.bits(2) << 12];
  bits.skip(22);
  const rateFactor = (bits.bits(2) + 1) / (bits.bits(5) + 1);
  // Trailing zeros may have been removed as padding; the reader yields zeros in their place.
  return { isProgressive, width, height, rateFactor };
}
