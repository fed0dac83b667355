/** Takes the bytes of one publisher: finds packets, cuts runs at entry points, keeps the bus's tables current. */
import type { TsChoice } from '../../lib/input-options.ts';
import type { MediaStatus } from '../status.ts';
import { findSps, gather, readAdts } from './access-unit.ts';
import { packetSize, pidOf, startsPayload } from './packet.ts';
import { PacketAligner } from './packet-aligner.ts';
import { createProgrammeFilter } from './programme-filter.ts';
import { type Arrivals, createTsScanner } from './scanner.ts';
import type { TsBus } from './ts-bus.ts';

/** A stream with so much more noise than packets is not a transport stream. Bytes. */
export const noSyncLimit = 64 << 10;

/** Reads the picture size out of a sequence parameter set; handed in so that codecs stay with the FLV side. */
export type SpsReader = (
  codec: string,
  sps: Uint8Array,
) => { width?: number; height?: number; fps?: number } | undefined;

export interface TsSink {
  /** Any bytes; the sink copies them. Units are pushed, subscribers are not told yet. */
  write(bytes: Uint8Array): void;
  /** Tells the subscribers. */
  flush(): void;
  readonly bytes: number;
  readonly continuityErrors: number;
  readonly arrivals: Arrivals;
  readonly media: MediaStatus | undefined;
  /** More than `noSyncLimit` bytes held no packet. */
  readonly isOutOfSync: boolean;
  /** What came until now would be noise rather than a transport stream. */
  readonly isNoise: boolean;
  /** The chosen programme isn't in the stream, of which so nothing passes. */
  readonly lacksProgramme: boolean;
}

/** Without a choice the stream passes as it is. */
export function createTsSink(bus: TsBus, readSps: SpsReader, choice?: TsChoice): TsSink {
  const scanner = createTsScanner();
  const filter = choice && createProgrammeFilter(choice);
  const aligner = new PacketAligner((packets) => scanRun(filter ? filter.take(packets) : packets));
  let bytes = 0;
  let size: ReturnType<SpsReader>;
  let sound: ReturnType<typeof readAdts>;
  let media: MediaStatus | undefined;
  let describedStreams = scanner.streams;

  function pushRun(data: Uint8Array<ArrayBuffer>, from: number, to: number, entryPoint: boolean): void {
    if (to <= from) return;
    bus.ring.push({ data: data.subarray(from, to), bytes: to - from, entryPoint });
  }

  function readPictureSize(data: Uint8Array, at: number): void {
    const video = scanner.video;
    if (!video || (size && describedStreams === scanner.streams)) return;
    const sps = findSps(gather(data, at, video.pid, 2048), video.codec);
    if (sps) size = readSps(video.codec, sps);
    if (size) media = undefined;
  }

  function readSound(data: Uint8Array, at: number): void {
    const { audio } = scanner;
    if (audio?.codec !== 'aac' || pidOf(data, at) !== audio.pid || !startsPayload(data, at)) return;
    sound = readAdts(data, at);
    if (sound) media = undefined;
  }

  function scanRun(data: Uint8Array<ArrayBuffer>): void {
    let runStart = 0;
    let runIsEntry = false;
    for (let at = 0; at < data.length; at += packetSize) {
      const isEntry = scanner.scan(data, at);
      if (!sound) readSound(data, at);
      if (!isEntry) continue;
      pushRun(data, runStart, at, runIsEntry);
      runStart = at;
      runIsEntry = true;
      readPictureSize(data, at);
    }
    pushRun(data, runStart, data.length, runIsEntry);
    if (scanner.tables !== bus.tables && scanner.tables.length > 0) bus.tables = scanner.tables;
    if (describedStreams !== scanner.streams) {
      describedStreams = scanner.streams;
      sound = undefined;
      media = undefined;
    }
  }

  return {
    write(input) {
      bytes += input.length;
      aligner.write(input);
    },
    flush() {
      bus.ring.notify();
    },
    get bytes() {
      return bytes;
    },
    get continuityErrors() {
      return scanner.continuityErrors;
    },
    arrivals: scanner.arrivals,
    get media() {
      media ??= mediaOf(scanner.streams, size, sound);
      return media;
    },
    get isOutOfSync() {
      return aligner.discarded > noSyncLimit;
    },
    get isNoise() {
      return bytes > 0 && scanner.streams.length === 0 && aligner.discarded + aligner.heldBytes > bytes / 2;
    },
    get lacksProgramme() {
      return filter?.isMissing ?? false;
    },
  };
}

function mediaOf(
  streams: ReturnType<typeof createTsScanner>['streams'],
  size: ReturnType<SpsReader>,
  sound: ReturnType<typeof readAdts>,
): MediaStatus | undefined {
  if (streams.length === 0) return undefined;
  const video = streams.find((stream) => stream.kind === 'video');
  const audio = streams.find((stream) => stream.kind === 'audio');
  return {
    container: 'ts',
    ...(video && { video: { codec: video.codec, ...size } }),
    ...(audio && { audio: { codec: audio.codec, ...sound } }),
  };
}
