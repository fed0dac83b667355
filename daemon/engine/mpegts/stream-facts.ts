/**
 * Facts shown about a transport stream: codecs, video and audio format of its first tracks, and further tracks. Headers
 * are examined at random access points, so that the facts follow the stream and other packets cost nothing.
 */
import type { MediaStatus, TrackStatus } from '../../media/protocol/reported.ts';
import { type PictureFormat, readSps } from '../codec/sps.ts';
import { findFormat, gather } from './access-unit.ts';
import { readSound, type SoundFormat } from './audio-header.ts';
import { pidOf, startsPayload } from './packet.ts';
import type { TsScanner } from './scanner.ts';
import type { ElementaryStream } from './tables.ts';

/** Of a picture, behind the beginning of its PES packet. */
const lookBytes = 2048;
const maxTracks = 32;

export class StreamFacts {
  /** The audio has not been examined yet since the last random access point or change of tables. */
  isSoundDue = true;
  private readonly scanner: TsScanner;
  private streams: readonly ElementaryStream[] = [];
  private programs = 0;
  /** The bytes that `picture` was read from. */
  private format: Uint8Array | undefined;
  private picture: PictureFormat | undefined;
  private sound: SoundFormat | undefined;
  private shown: MediaStatus | undefined;

  constructor(scanner: TsScanner) {
    this.scanner = scanner;
  }

  get media(): MediaStatus | undefined {
    this.followTables();
    this.shown ??= this.describe();
    return this.shown;
  }

  /** Call it if the packet at `at`, already scanned, is a random access point. */
  readEntry(data: Uint8Array, at: number): void {
    this.isSoundDue = true;
    const { video } = this.scanner;
    if (!video) return;
    this.followTables();
    const found = findFormat(gather(data, at, video.pid, lookBytes), video.codec);
    // A truncated header may contain less than the complete one that is known.
    if (!found || (!found.isWhole && this.picture)) return;
    if (this.format && Buffer.compare(found.bytes, this.format) === 0) return;
    const picture = readSps(video.codec, found.bytes);
    if (!picture) return;
    this.format = found.bytes.slice();
    this.picture = picture;
    this.shown = undefined;
  }

  /** Call it for any packet while `isSoundDue`. */
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

  /** Discards facts about streams that have changed. */
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
      ...(isMore && { tracks: tracks.slice(0, maxTracks).map((one) => this.describeTrack(one)) }),
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
