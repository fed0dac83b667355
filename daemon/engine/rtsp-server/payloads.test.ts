/** A receiver written from the standards reassembles the payloads, and must get the original frames. */
import { describe, expect, test } from 'bun:test';
import type { NalCodec } from '../codec/nal-units.ts';
import { packPicture, packSound } from './payload.ts';

interface Payload {
  readonly bytes: Buffer;
  readonly isLast: boolean;
}

function gather(pack: (emit: (parts: readonly Uint8Array[], isLast: boolean) => void) => void): Payload[] {
  const payloads: Payload[] = [];
  pack((parts, isLast) => payloads.push({ bytes: Buffer.concat(parts), isLast }));
  return payloads;
}

/** RFC 6184, sections 5.6 to 5.8, and RFC 7798, section 4.4. */
function unpack(codec: NalCodec, payloads: readonly Payload[]): Buffer[] {
  const units: Buffer[] = [];
  const header = codec === 'h264' ? 1 : 2;
  const types = codec === 'h264' ? { together: 24, piece: 28 } : { together: 48, piece: 49 };
  let open: Buffer[] | undefined;
  for (const { bytes } of payloads) {
    const type = codec === 'h264' ? bytes[0]! & 0x1f : (bytes[0]! >> 1) & 0x3f;
    if (type === types.together) {
      for (let at = header; at < bytes.length; ) {
        const length = bytes.readUInt16BE(at);
        units.push(bytes.subarray(at + 2, at + 2 + length));
        at += 2 + length;
      }
    } else if (type === types.piece) {
      const edge = bytes[header]!;
      if (edge & 0x80) open = [original(codec, bytes)];
      open!.push(bytes.subarray(header + 1));
      if (edge & 0x40) {
        units.push(Buffer.concat(open!));
        open = undefined;
      }
    } else units.push(bytes);
  }
  expect(open).toBeUndefined();
  return units;
}

function original(codec: NalCodec, bytes: Buffer): Buffer {
  if (codec === 'h264') return Buffer.of((bytes[0]! & 0xe0) | (bytes[1]! & 0x1f));
  return Buffer.of((bytes[0]! & 0x81) | ((bytes[2]! & 0x3f) << 1), bytes[1]!);
}

/** Park and Miller's generator: the same pictures in every run. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

function unitOf(codec: NalCodec, type: number, length: number, next: (below: number) => number): Buffer {
  const unit = Buffer.from(Array.from({ length }, () => next(256)));
  if (codec === 'h264') unit[0] = 0x60 | type;
  else unit.set([type << 1, 1]);
  return unit;
}

describe.each(['h264', 'hevc'] as const)('%s', (codec) => {
  test('pictures of any size survive a round trip, in packets within the size limit, the last one marked', () => {
    const next = seeded(codec === 'h264' ? 11 : 12);
    for (let round = 0; round < 400; round++) {
      const max = 20 + next(1400);
      const units = Array.from({ length: 1 + next(12) }, () =>
        unitOf(codec, 1 + next(23), 3 + next(next(4) === 0 ? 8000 : 200), next),
      );
      const payloads = gather((emit) => packPicture(codec, units, max, emit));
      expect(unpack(codec, payloads).map((unit) => unit.toString('hex'))).toEqual(
        units.map((unit) => unit.toString('hex')),
      );
      expect(Math.max(...payloads.map(({ bytes }) => bytes.length))).toBeLessThanOrEqual(max);
      expect(payloads.map(({ isLast }) => isLast)).toEqual(payloads.map((_, i) => i === payloads.length - 1));
    }
  });

  test('units whose type has another meaning in RTP are dropped', () => {
    const next = seeded(3);
    const own = codec === 'h264' ? [24, 28, 31] : [48, 49, 63];
    const slice = unitOf(codec, 1, 50, next);
    const units = [...own.map((type) => unitOf(codec, type, 50, next)), slice, Buffer.of(1)];
    const payloads = gather((emit) => packPicture(codec, units, 1000, emit));
    expect(payloads).toEqual([{ bytes: slice, isLast: true }]);
  });
});

describe('AAC', () => {
  test('frames of any size survive a round trip', () => {
    const next = seeded(5);
    for (let round = 0; round < 300; round++) {
      const frame = Buffer.from(Array.from({ length: 1 + next(next(3) === 0 ? 8191 : 500) }, () => next(256)));
      const payloads = gather((emit) => packSound(frame, 1388, emit));
      const parts = payloads.map(({ bytes }) => {
        expect(bytes.readUInt16BE(0)).toBe(16);
        expect(bytes.readUInt16BE(2)).toBe(frame.length << 3);
        expect(bytes.length).toBeLessThanOrEqual(1388);
        return bytes.subarray(4);
      });
      expect(Buffer.concat(parts).equals(frame)).toBe(true);
      expect(payloads.map(({ isLast }) => isLast)).toEqual(payloads.map((_, i) => i === payloads.length - 1));
    }
  });

  test('a frame that is too long for the size field is dropped', () => {
    expect(gather((emit) => packSound(Buffer.alloc(8192), 1388, emit))).toEqual([]);
    expect(gather((emit) => packSound(Buffer.alloc(0), 1388, emit))).toEqual([]);
  });
});
