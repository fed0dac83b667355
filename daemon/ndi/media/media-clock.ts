/**
 * Places the frames of a source on one timeline. Senders give video and audio timestamps of the same clock, but uneven
 * ones. Within a tolerance, a frame therefore follows the one before it without a gap, so that FFmpeg neither repeats
 * video frames nor stretches audio. The timeline follows a clock that drifts or jumps.
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
/** Average deviation that the timeline follows: audio must stay within 40 ms of the video. */
const toleranceMs = 20;
/** Deviation of one frame that the timeline follows at once; for video, in durations of a frame. */
const jump = { audioMs: 100, frames: 0.6 };
/** The weight of one frame in the average deviation. */
const weight = 0.05;
/** A pause of the source is shortened to nothing, so that FFmpeg does not fill it. */
const pauseMs = 1000;
/** Time of the first frame, so that frames that belong before it have a time, too. */
const lead = 1000 * ms;

export class MediaClock {
  /** Time of the source's clock at 0 of the timeline; changes with a pause. */
  #zero: bigint | undefined;
  #source: 'timecode' | 'timestamp' | 'arrival' | undefined;
  /** End of the newest frame of either kind on the timeline. */
  #end = lead;
  readonly #tracks = { video: new Track(), audio: new Track() };

  /** Returns the time of the frame. The times of one kind always increase. */
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
