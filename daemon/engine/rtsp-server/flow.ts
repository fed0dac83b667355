/** The media flow of a playing session, independent of the transport. */
import type { Cursor } from '../bus/bus.ts';
import type { RtpPacket } from './rtp.ts';
import type { RtpStream, RtpUnit } from './rtp-stream.ts';
import { type TrackName, trackNames, trackNumbers } from './track.ts';

export interface Flow {
  readonly reader: FlowReader;
  readonly bytes: number;
  /** Starts the media flow. */
  begin(): void;
  /** Repeats the sender reports. */
  report(): void;
  close(): void;
}

/** Reads a stream for one session. Takes the first unit before media flows, because the reply to PLAY refers to it. */
export class FlowReader {
  /** The first unit; undefined while the stream has nothing to start with. */
  readonly first: RtpUnit | undefined;
  private readonly cursor: Cursor<RtpUnit>;
  private next: RtpUnit | undefined;
  private start: number | undefined;

  constructor(stream: RtpStream, wake: () => void) {
    this.cursor = stream.ring.subscribe(wake);
    this.first = this.cursor.take();
    this.next = this.first;
  }

  get skipped(): number {
    return this.cursor.skipped.units;
  }

  get lagMs(): number {
    return this.cursor.lag.ms;
  }

  take(): RtpUnit | undefined {
    const unit = this.next ?? this.cursor.take();
    this.next = undefined;
    this.start ??= unit?.at;
    return unit;
  }

  /** Audio may arrive after its video, so the first of it can be too early: the session begins with the video. */
  isDesired({ at }: RtpPacket): boolean {
    return this.start === undefined || at >= this.start;
  }

  close(): void {
    this.cursor.close();
  }
}

/** Returns the RTP-Info of the reply to PLAY, for each track (RFC 2326, section 12.33). */
export function rtpInfo(stream: RtpStream, { at, sequences }: RtpUnit, addresses: ReadonlyMap<TrackName, string>) {
  const parts = trackNames.flatMap((name) => {
    const address = addresses.get(name);
    const sequence = sequences[trackNumbers[name]];
    return address === undefined ? [] : [`url=${address};seq=${sequence};rtptime=${stream.timestamp(name, at)}`];
  });
  return parts.join(',');
}
