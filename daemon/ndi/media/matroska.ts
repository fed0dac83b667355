/** Numbers of the Matroska elements that carry raw frames between FFmpeg and a process that loads the NDI library. */
export const elements = {
  header: 0x1a45dfa3,
  docType: 0x4282,
  docTypeVersion: 0x4287,
  docTypeReadVersion: 0x4285,
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  muxingApp: 0x4d80,
  writingApp: 0x5741,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackNumber: 0xd7,
  trackUid: 0x73c5,
  trackType: 0x83,
  lacing: 0x9c,
  codecId: 0x86,
  defaultDuration: 0x23e383,
  video: 0xe0,
  pixelWidth: 0xb0,
  pixelHeight: 0xba,
  displayWidth: 0x54b0,
  displayHeight: 0x54ba,
  colorSpace: 0x2eb524,
  audio: 0xe1,
  samplingFrequency: 0xb5,
  channels: 0x9f,
  bitDepth: 0x6264,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
  simpleBlock: 0xa3,
  blockGroup: 0xa0,
  block: 0xa1,
} as const;

export const trackTypes = { video: 1, audio: 2 } as const;
/** Tracks of the streams that we write. */
export const trackNumbers = { video: 1, audio: 2 } as const;

export interface RawVideo {
  readonly width: number;
  readonly height: number;
  /** `UYVY` or `BGRA`. */
  readonly fourCc: string;
  /** Frames per second. */
  readonly rate: { readonly numerator: number; readonly denominator: number };
  /** Of the picture; 0 for square pixels. */
  readonly aspect: number;
}

/** Interleaved floating-point samples. */
export interface RawAudio {
  readonly sampleRate: number;
  readonly channels: number;
}
