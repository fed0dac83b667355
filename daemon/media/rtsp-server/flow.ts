/** What a playing session is to its connection, whichever way its packets travel. */
import type { Cursor } from '../bus.ts';
import type { RtpPacket } from './rtp.ts';
import type { RtpStream, RtpUnit } from './rtp-stream.ts';
import { type TrackName, trackNames, trackNumbers } from './track.ts';

export interface Flow {
  /** Where it begins; undefined while the stream has nothing to begin with. */
  readonly first: RtpUnit | undefined;
  readonly bytes: number;
  readonly skipped: number;
  readonly lagMs: number;
  /** Media flows from here on. */
  begin(): void;
  /** Sends the reports again. */
  report(): void;
  close(): void;
}

/** Reads a stream for one session: the first unit is there before media flows, since the answer to PLAY names it. */
export class FlowReader {
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

  /** Sound may come behind its picture, at first some that belongs before it: the session begins with its picture. */
  isWanted({ at }: RtpPacket): boolean {
    return this.start === undefined || at >= this.start;
  }

  close(): void {
    this.cursor.close();
  }
}

/** What the answer to PLAY says of each track (RFC 2326, section 12.33). */
export function rtpInfo(stream: RtpStream, { at, sequences }: RtpUnit, addresses: ReadonlyMap<TrackName, string>) {
  const parts = trackNames.flatMap((name) => {
    const address = addresses.get(name);
    const sequence = sequences[trackNumbers[name]];
    return address === undefined ? [] : [`url=${address};seq=${sequence};rtptime=${stream.timestamp(name, at)}`];
  });
  return parts.join(',');
}
