/**
 * Gives the frames of a source times on one line. Senders stamp pictures and sound with the same clock,
 * but unevenly: within a tolerance, a frame follows the one before it without a gap, so that FFmpeg neither repeats
 * pictures nor stretches sound. A clock that drifts away or jumps is followed.
 */

import { noTime } from '../../../native/ndi/layout.ts';

/** All times are in 100 ns. */
export interface FrameTimes {
  readonly timecode: bigint;
  readonly timestamp: bigint;
  /** When we got it. */
  readonly arrival: bigint;
  /** Of the frame. */
  readonly duration: number;
}

const ms = 10_000;
/** Average deviation that is followed: sound must stay within 40 ms of the picture. */
const toleranceMs = 20;
/** Deviation of one frame that is followed at once; for pictures, that many durations. */
const jump = { audioMs: 100, frames: 0.6 };
/** The weight of one frame in the average deviation. */
const weight = 0.05;
/** A pause of the source is shortened to nothing, so that FFmpeg does not fill it. */
const pauseMs = 1000;
/** The time of the first frame, so that those that belong before it have times, too. */
const lead = 1000 * ms;

export class MediaClock {
  /** The clock of the source when the line was at 0; changes with a pause. */
  #zero: bigint | undefined;
  #source: 'timecode' | 'timestamp' | 'arrival' | undefined;
  /** Where the line is: the end of the newest frame of either kind. */
  #end = lead;
  readonly #tracks = { video: new Track(), audio: new Track() };

  /** Returns the time of the frame; frames of one kind never go back. */
  next(kind: 'video' | 'audio', times: FrameTimes): number {
    this.#source ??= clockOf(times);
    const clock = this.#source;
    const at = times[clock] === noTime ? times.arrival : times[clock];
    this.#zero ??= at - BigInt(lead);
    const given = Number(at - this.#zero);
    if (given > this.#end + pauseMs * ms || given < this.#end - pauseMs * ms) {
      // The source paused, or its clock was set.
      this.#zero = at - BigInt(this.#end);
      for (const track of Object.values(this.#tracks)) track.forget();
    }
    const jumpAt = kind === 'video' ? jump.frames * times.duration : jump.audioMs * ms;
    const time = this.#tracks[kind].next(Number(at - this.#zero), times.duration, jumpAt);
    this.#end = Math.max(this.#end, time + times.duration);
    return time;
  }
}

/** The library sets timestamps, except those of old senders; a sender may set any timecode. */
function clockOf({ timecode, timestamp }: FrameTimes): 'timecode' | 'timestamp' | 'arrival' {
  if (timestamp === noTime) return timecode === noTime || timecode === 0n ? 'arrival' : 'timecode';
  return 'timestamp';
}

/** Frames of one kind. */
class Track {
  #next: number | undefined;
  #deviation = 0;
  #last = -1;

  forget(): void {
    this.#next = undefined;
  }

  next(given: number, duration: number, jumpAt: number): number {
    let time = given;
    if (this.#next !== undefined) {
      const off = given - this.#next;
      this.#deviation += (off - this.#deviation) * weight;
      const isOff = Math.abs(off) > jumpAt || Math.abs(this.#deviation) > toleranceMs * ms;
      if (!isOff) time = this.#next;
      else this.#deviation = 0;
    }
    time = Math.max(time, this.#last + 1, 0);
    this.#next = time + duration;
    this.#last = time;
    return time;
  }
}
