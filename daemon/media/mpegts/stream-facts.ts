/**
 * What is shown of a transport stream: codecs, picture and sound of its first tracks, and what else there is. Headers are
 * looked at where a decoder can start, so that the facts follow the stream and its other packets cost nothing.
 */
import type { MediaStatus, TrackStatus } from '../status.ts';
import { findFormat, gather } from './access-unit.ts';
import { pidOf, startsPayload } from './packet.ts';
import type { TsScanner } from './scanner.ts';
import { readSound, type SoundFormat } from './sound-header.ts';
import type { ElementaryStream } from './tables.ts';

/** Reads size and rate of pictures out of what `findFormat` found; handed in so that codecs stay with the FLV side. */
export type SpsReader = (
  codec: string,
  sps: Uint8Array,
) => { width?: number; height?: number; fps?: number; interlaced?: true } | undefined;

/** Of a picture, behind the beginning of its PES packet. */
const lookBytes = 2048;
const mostTracks = 32;

export class StreamFacts {
  /** The sound of an entry point, or of new tables, was not looked at yet. */
  isSoundDue = true;
  private readonly scanner: TsScanner;
  private readonly readSps: SpsReader;
  private streams: readonly ElementaryStream[] = [];
  private programs = 0;
  /** What `picture` was read from. */
  private format: Uint8Array | undefined;
  private picture: ReturnType<SpsReader>;
  private sound: SoundFormat | undefined;
  private shown: MediaStatus | undefined;

  constructor(scanner: TsScanner, readSps: SpsReader) {
    this.scanner = scanner;
    this.readSps = readSps;
  }

  get media(): MediaStatus | undefined {
    this.followTables();
    this.shown ??= this.describe();
    return this.shown;
  }

  /** The packet at `at`, which the scanner has seen, is an entry point. */
  readEntry(data: Uint8Array, at: number): void {
    this.isSoundDue = true;
    const { video } = this.scanner;
    if (!video) return;
    this.followTables();
    const found = findFormat(gather(data, at, video.pid, lookBytes), video.codec);
    // One that is cut off may say less than the whole one that is known.
    if (!found || (!found.isWhole && this.picture)) return;
    if (this.format && Buffer.compare(found.bytes, this.format) === 0) return;
    const picture = this.readSps(video.codec, found.bytes);
    if (!picture) return;
    this.format = found.bytes.slice();
    this.picture = picture;
    this.shown = undefined;
  }

  /** Any packet, while `isSoundDue`. */
  readSound(data: Uint8Array, at: number): void {
    const { audio } = this.scanner;
    if (!audio || pidOf(data, at) !== audio.pid || !startsPayload(data, at)) return;
    this.followTables();
    const found = readSound(data, at, audio.codec);
    if (!found) return;
    this.isSoundDue = false;
    const { sound } = this;
    const isSame = sound?.codec === found.codec && sound?.sampleRate === found.sampleRate;
    if (isSame && sound?.channels === found.channels) return;
    this.sound = found;
    this.shown = undefined;
  }

  /** What was read of other streams is void. */
  private followTables(): void {
    const { streams, programs } = this.scanner;
    if (programs !== this.programs) this.shown = undefined;
    this.programs = programs;
    if (streams === this.streams) return;
    const [before, now] = [this.streams, streams].map((list) => ({
      video: list.find(({ kind }) => kind === 'video'),
      audio: list.find(({ kind }) => kind === 'audio'),
    }));
    this.streams = streams;
    this.shown = undefined;
    this.isSoundDue = true;
    if (!isSame(before?.audio, now?.audio)) this.sound = undefined;
    if (isSame(before?.video, now?.video)) return;
    this.format = undefined;
    this.picture = undefined;
  }

  private describe(): MediaStatus | undefined {
    const { video, audio, programs } = this.scanner;
    const { streams } = this;
    if (streams.length === 0) return undefined;
    const tracks = streams.filter(isTrack);
    const isMore = tracks.some((one) => one !== video && one !== audio);
    return {
      container: 'ts',
      ...(video && { video: { codec: video.codec, ...this.picture } }),
      ...(audio && { audio: { codec: audio.codec, ...this.sound, ...languageOf(audio) } }),
      ...(programs > 1 && { programs }),
      ...(isMore && { tracks: tracks.slice(0, mostTracks).map((one) => this.describeTrack(one)) }),
    };
  }

  private describeTrack(stream: Track): TrackStatus {
    const codec = (stream === this.scanner.audio && this.sound?.codec) || stream.codec;
    return { kind: stream.kind, codec, ...languageOf(stream) };
  }
}

type Track = ElementaryStream & { readonly kind: TrackStatus['kind'] };

function isTrack(stream: ElementaryStream): stream is Track {
  return stream.kind !== 'other';
}

function languageOf({ language }: ElementaryStream) {
  return language === undefined ? undefined : { language };
}

function isSame(one: ElementaryStream | undefined, other: ElementaryStream | undefined): boolean {
  return one?.pid === other?.pid && one?.codec === other?.codec;
}
