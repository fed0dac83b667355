/**
 * One timeline for messages of several sources with arbitrary time origins. Players see neither a step back nor a
 * disconnect when one source follows another. Pure, given the clock; times are in milliseconds.
 */
import { type FlvMessage, messageType } from '../flv/flv-bus.ts';
import { parseAudioTag, parseVideoTag } from '../flv/tag.ts';

/** The last time of a source, and what it was mapped to. */
interface Point {
  readonly in: number;
  readonly out: number;
}

export class Splice {
  /** Newest time sent, and when. Of video; of audio only if there is no video. */
  private newest: { readonly out: number; readonly at: number; readonly type: number } | undefined;
  private readonly lastOut = new Map<number, number>();
  private point: Point | undefined;

  /** Switches to the source whose frame with this timestamp arrives now. */
  cut(timestamp: number, now: number): void {
    const out = Math.max(this.lineAt(now), this.after(messageType.video));
    this.point = { in: timestamp, out };
  }

  /**
   * Switches to a source of whose group of pictures `held` has already arrived. These frames are needed to decode the
   * next one; they are shown fast, within the time that is missing, so that nothing is late afterwards.
   */
  catchUp(held: readonly FlvMessage[], now: number): FlvMessage[] {
    const frames = held.filter(isPicture);
    const [first] = frames;
    const last = frames.at(-1);
    if (!first || !last) return [];
    const begin = this.after(messageType.video);
    const isStart = this.newest === undefined;
    const span = (last.timestamp - first.timestamp) | 0;
    // Two frames never have the same time.
    const room = isStart ? span : Math.max(this.lineAt(now) - begin, frames.length - 1);
    const pace = span > room ? room / span : 1;
    const from = begin + room - span * pace;
    this.point = { in: last.timestamp, out: begin + room };
    const out: FlvMessage[] = [];
    for (const message of held) {
      const mapped = isPicture(message)
        ? this.shown(message, from + ((message.timestamp - first.timestamp) | 0) * pace, pace, now)
        : this.map(message, now);
      if (mapped) out.push(mapped);
    }
    return out;
  }

  /** Returns undefined for media of a time that was already sent. */
  map(message: FlvMessage, now: number): FlvMessage | undefined {
    if (!this.point) return undefined;
    const { type, timestamp } = message;
    const out = this.point.out + ((timestamp - this.point.in) | 0);
    if (!isMedia(message)) return { ...message, timestamp: Math.max(0, out) >>> 0 };
    if (out < this.after(type)) {
      // Audio from before the cut is dropped; all video frames are needed.
      if (type === messageType.audio) return undefined;
      return this.shown(message, out, 1, now);
    }
    // The point moves along, so that a source may run for longer than its counter.
    if (type === messageType.video || this.newest?.type !== messageType.video) this.point = { in: timestamp, out };
    return this.shown(message, out, 1, now);
  }

  private shown(message: FlvMessage, desired: number, pace: number, now: number): FlvMessage {
    const { type } = message;
    const out = Math.max(Math.round(desired), this.after(type));
    this.lastOut.set(type, out);
    if (type === messageType.video || this.newest?.type !== messageType.video) this.newest = { out, at: now, type };
    const payload = pace < 1 ? scaleComposition(message.payload, pace) : message.payload;
    return { type, timestamp: out >>> 0, payload };
  }

  /** Where the timeline would be now if it had continued. */
  private lineAt(now: number): number {
    return this.newest ? this.newest.out + Math.max(0, Math.round(now - this.newest.at)) : 0;
  }

  private after(type: number): number {
    return (this.lastOut.get(type) ?? -1) + 1;
  }
}

/** Whether the message is a coded video frame. */
export function isPicture({ type, payload }: FlvMessage): boolean {
  return type === messageType.video && parseVideoTag(payload)?.kind === 'frame';
}

export function isSound({ type, payload }: FlvMessage): boolean {
  return type === messageType.audio && parseAudioTag(payload)?.kind === 'frame';
}

/** Headers and data are not media: they take the time of the frames they precede. */
function isMedia(message: FlvMessage): boolean {
  return isSound(message) || isPicture(message);
}

/** Codecs whose tags have a composition time (FLV 10.1, E.4.3; Enhanced RTMP v2, ExVideoTagHeader). */
const composed = new Set(['h264', 'hevc']);

/** Returns the tag with a shorter composition time, for frames that are shown faster than they were taken. */
function scaleComposition(payload: Uint8Array, pace: number): Uint8Array {
  const tag = parseVideoTag(payload);
  if (!tag || tag.compositionMs === 0 || !composed.has(tag.codec)) return payload;
  // If present, the composition time is the last field before the coded data.
  const at = tag.dataOffset - 3;
  const scaled = Math.round(tag.compositionMs * pace);
  const copy = new Uint8Array(payload);
  copy[at] = (scaled >> 16) & 0xff;
  copy[at + 1] = (scaled >> 8) & 0xff;
  copy[at + 2] = scaled & 0xff;
  return copy;
}
