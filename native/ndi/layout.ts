/**
 * Sizes and offsets of the structs of the NDI library in bytes, on 64-bit Linux; x86-64 and ARM have the same. They
 * follow from the published headers, of which this file contains no text.
 */

export type FieldType = 'pointer' | 'bool' | 'i32' | 'f32' | 'i64';

export const fieldBytes: Readonly<Record<FieldType, number>> = { pointer: 8, bool: 1, i32: 4, f32: 4, i64: 8 };

export interface Field {
  readonly at: number;
  readonly type: FieldType;
}
export interface Layout {
  readonly bytes: number;
  readonly fields: Readonly<Record<string, Field>>;
}

const pointer = (at: number) => ({ at, type: 'pointer' }) as const;
const bool = (at: number) => ({ at, type: 'bool' }) as const;
const i32 = (at: number) => ({ at, type: 'i32' }) as const;
const f32 = (at: number) => ({ at, type: 'f32' }) as const;
const i64 = (at: number) => ({ at, type: 'i64' }) as const;

export const layouts = {
  source: { bytes: 16, fields: { name: pointer(0), address: pointer(8) } },
  findCreate: { bytes: 24, fields: { showLocal: bool(0), groups: pointer(8), extraIps: pointer(16) } },
  routingCreate: { bytes: 16, fields: { name: pointer(0), groups: pointer(8) } },
  sendCreate: {
    bytes: 24,
    fields: { name: pointer(0), groups: pointer(8), clockVideo: bool(16), clockAudio: bool(17) },
  },
  /** Begins with a `source`. */
  receiveCreate: {
    bytes: 40,
    fields: {
      ...{ sourceName: pointer(0), sourceAddress: pointer(8), colorFormat: i32(16), bandwidth: i32(20) },
      ...{ allowFields: bool(24), name: pointer(32) },
    },
  },
  videoFrame: {
    bytes: 72,
    fields: {
      ...{ width: i32(0), height: i32(4), fourCc: i32(8), rateNumerator: i32(12), rateDenominator: i32(16) },
      ...{ aspect: f32(20), format: i32(24), timecode: i64(32), data: pointer(40), stride: i32(48) },
      ...{ metadata: pointer(56), timestamp: i64(64) },
    },
  },
  audioFrame: {
    bytes: 64,
    fields: {
      ...{ sampleRate: i32(0), channels: i32(4), samples: i32(8), timecode: i64(16), fourCc: i32(24) },
      ...{ data: pointer(32), stride: i32(40), metadata: pointer(48), timestamp: i64(56) },
    },
  },
  metadataFrame: { bytes: 24, fields: { length: i32(0), timecode: i64(8), data: pointer(16) } },
} as const satisfies Record<string, Layout>;

/** In the place of a timecode or timestamp that is unknown, or that the library is to set. */
export const noTime = 2n ** 63n - 1n;

export type LayoutName = keyof typeof layouts;
