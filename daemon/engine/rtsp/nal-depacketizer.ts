/** Depacketizes H.264 (RFC 6184, packetization modes 0 and 1) and HEVC (RFC 7798, without decoding order numbers). */

import { annexBParts, isKeyPicture, opensPicture } from '../codec/access-units.ts';
import { type NalCodec, nalRole } from '../codec/nal-units.ts';
import { ParameterSets } from '../codec/parameter-sets.ts';
import { reorderDepth } from '../codec/sps.ts';
import { pesLimits } from '../remux/pes-assembler.ts';
import type { Depacketizer, OnUnit } from './depacketizer.ts';

interface Format {
  readonly aggregate: number;
  readonly fragment: number;
  readonly headerBytes: number;
  typeOf(payload: Uint8Array): number;
  /** Returns the header of the NAL unit that a fragment belongs to. */
  headerOf(payload: Uint8Array): Uint8Array;
}

const formats: Readonly<Record<NalCodec, Format>> = {
  h264: {
    aggregate: 24,
    fragment: 28,
    headerBytes: 1,
    typeOf: ([first = 0]) => first & 0x1f,
    headerOf: ([first = 0, second = 0]) => Uint8Array.of((first & 0xe0) | (second & 0x1f)),
  },
  hevc: {
    aggregate: 48,
    fragment: 49,
    headerBytes: 2,
    typeOf: ([first = 0]) => (first >> 1) & 0x3f,
    headerOf: ([first = 0, second = 0, third = 0]) => Uint8Array.of((first & 0x81) | ((third & 0x3f) << 1), second),
  },
};
const startBit = 0x80;
const lengthBytes = 2;
const firstBytes = 256 << 10;
const maxUnits = 2048;

export class NalDepacketizer implements Depacketizer {
  readonly kind = 'video';
  readonly codec: NalCodec;
  private readonly format: Format;
  private readonly onUnit: OnUnit;
  private readonly sets: ParameterSets;
  /** NAL units of the current picture, concatenated. `ends` holds their end offsets. */
  private bytes = Buffer.allocUnsafe(firstBytes);
  private used = 0;
  private ends: number[] = [];
  private timestamp: number | undefined;
  /** A part of the current picture is missing, or the picture is too large. */
  private isBroken = false;
  /** The first packets of the current picture may be missing. */
  private isDoubtful = false;
  /** The last unit is waiting for its next fragment. */
  private isCut = false;
  private hasSlices = false;
  private needsKeyframe = true;
  reorderDepth: number | undefined;

  /** `sets`: parameter sets from the session description. */
  constructor(codec: NalCodec, sets: readonly Uint8Array[], onUnit: OnUnit) {
    this.codec = codec;
    this.format = formats[codec];
    this.onUnit = onUnit;
    this.sets = new ParameterSets(codec);
    this.learn(sets);
  }

  take(payload: Uint8Array, timestamp: number, isMarked: boolean): void {
    if (this.timestamp !== undefined && this.timestamp !== timestamp) this.finish();
    this.timestamp ??= timestamp;
    this.unpack(payload);
    // Some cameras also set the marker bit on parameter sets, which belong to the picture after them.
    if (isMarked && this.hasSlices) this.finish();
  }

  lose(): void {
    if (this.timestamp !== undefined) this.isBroken = true;
    this.isDoubtful = true;
  }

  private unpack(payload: Uint8Array): void {
    const { typeOf, aggregate, fragment, headerBytes } = this.format;
    const type = typeOf(payload);
    if (type === fragment) this.fragment(payload);
    else if (this.isCut) this.isBroken = true;
    if (type === aggregate) {
      let at = headerBytes;
      while (at + lengthBytes <= payload.length) {
        const to = at + lengthBytes + (((payload[at] ?? 0) << 8) | (payload[at + 1] ?? 0));
        if (to > payload.length) this.isBroken = true;
        this.add(payload.subarray(at + lengthBytes, to));
        at = to;
      }
    } else if (type < aggregate) {
      this.add(payload);
    }
  }

  private fragment(payload: Uint8Array): void {
    const { headerBytes, headerOf } = this.format;
    const edges = payload[headerBytes] ?? 0;
    const body = payload.subarray(headerBytes + 1);
    const isStart = (edges & startBit) !== 0;
    if (isStart === this.isCut) this.isBroken = true;
    if (isStart) this.add(headerOf(payload));
    if (this.ends.length === 0) return;
    this.ends.pop();
    this.append(body);
    this.isCut = (edges & 0x40) === 0;
  }

  private add(unit: Uint8Array): void {
    const [header] = unit;
    if (header === undefined) return;
    this.hasSlices ||= isSlice(nalRole(this.codec, header));
    this.append(unit);
  }

  private append(bytes: Uint8Array): void {
    const needed = this.used + bytes.length;
    if (needed > pesLimits.videoBytes || this.ends.length >= maxUnits) {
      this.isBroken = true;
      return;
    }
    if (needed > this.bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, this.bytes.length * 2));
      larger.set(this.bytes.subarray(0, this.used));
      this.bytes = larger;
    }
    this.bytes.set(bytes, this.used);
    this.used = needed;
    this.ends.push(needed);
  }

  private get units(): Uint8Array[] {
    return this.ends.map((end, i) => this.bytes.subarray(this.ends[i - 1] ?? 0, end));
  }

  private finish(): void {
    const { codec, units, timestamp = 0 } = this;
    const roles = units.map((unit) => nalRole(codec, unit[0] ?? 0));
    const first = units[roles.findIndex(isSlice)];
    const isBroken = this.isBroken || this.isCut || (this.isDoubtful && !!first && !opensPicture(codec, first));
    this.used = 0;
    this.ends = [];
    this.hasSlices = false;
    this.timestamp = undefined;
    this.isBroken = false;
    this.isCut = false;
    if (!isBroken) this.learn(units);
    if (!first) return;
    this.isDoubtful = false;
    const isKeyframe = isKeyPicture(codec, units, roles, true);
    // Pictures after a missing keyframe can't be decoded.
    if (isBroken) this.needsKeyframe ||= isKeyframe;
    else if ((isKeyframe || !this.needsKeyframe) && this.sets.config) {
      this.needsKeyframe = false;
      const missing = isKeyframe && !roles.includes('sps') ? this.sets.all : [];
      this.onUnit({ timestamp, isRandomAccess: isKeyframe, parts: annexBParts(codec, units, roles, missing) });
    }
  }

  private learn(units: readonly Uint8Array[]): void {
    if (this.sets.take(units) && this.sets.sps) this.reorderDepth = reorderDepth(this.codec, this.sets.sps);
  }
}

function isSlice(role: string): boolean {
  return role === 'slice' || role === 'keySlice';
}
