/**
 * One line of time for messages of several sources, which count from wherever they like. Players see neither a step back
 * nor a disconnect where one source follows another. Pure but for the clock that is handed in; times are milliseconds.
 */
import { type FlvMessage, messageType } from '../flv/flv-bus.ts';
import { parseAudioTag, parseVideoTag } from '../flv/tag.ts';
import { scaleComposition } from './composition.ts';

/** What a source sent last, and what became of it. */
interface Point {
  readonly in: number;
  readonly out: number;
}

export class Splice {
  /** Newest time sent, and when. Pictures lead; sound only where there are none. */
  private newest: { readonly out: number; readonly at: number; readonly type: number } | undefined;
  private readonly lastOut = new Map<number, number>();
  private point: Point | undefined;

  /** The source whose frame with this time arrives now is the one from here on. */
  cut(timestamp: number, now: number): void {
    const out = Math.max(this.lineAt(now), this.after(messageType.video));
    this.point = { in: timestamp, out };
  }

  /**
   * The source is the one from here on, and so much of its group of pictures came already. Its pictures are needed to
   * decode the next one; they are shown fast, in the time that is missing, so that nothing is late afterwards.
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

  /** Undefined: what belongs to a time that was shown already. */
  map(message: FlvMessage, now: number): FlvMessage | undefined {
    if (!this.point) return undefined;
    const { type, timestamp } = message;
    const out = this.point.out + ((timestamp - this.point.in) | 0);
    if (!isMedia(message)) return { ...message, timestamp: Math.max(0, out) >>> 0 };
    if (out < this.after(type)) {
      // Sound from before the cut goes; of pictures none can be missed.
      if (type === messageType.audio) return undefined;
      return this.shown(message, out, 1, now);
    }
    // Followed along, so that a source may run for longer than its counter.
    if (type === messageType.video || this.newest?.type !== messageType.video) this.point = { in: timestamp, out };
    return this.shown(message, out, 1, now);
  }

  private shown(message: FlvMessage, wanted: number, pace: number, now: number): FlvMessage {
    const { type } = message;
    const out = Math.max(Math.round(wanted), this.after(type));
    this.lastOut.set(type, out);
    if (type === messageType.video || this.newest?.type !== messageType.video) this.newest = { out, at: now, type };
    const payload = pace < 1 ? scaleComposition(message.payload, pace) : message.payload;
    return { type, timestamp: out >>> 0, payload };
  }

  /** Where the line is now, had it gone on. */
  private lineAt(now: number): number {
    return this.newest ? this.newest.out + Math.max(0, Math.round(now - this.newest.at)) : 0;
  }

  private after(type: number): number {
    return (this.lastOut.get(type) ?? -1) + 1;
  }
}

/** A coded picture. */
export function isPicture({ type, payload }: FlvMessage): boolean {
  return type === messageType.video && parseVideoTag(payload)?.kind === 'frame';
}

export function isSound({ type, payload }: FlvMessage): boolean {
  return type === messageType.audio && parseAudioTag(payload)?.kind === 'frame';
}

/** Headers and data take the time of what they come with. */
function isMedia(message: FlvMessage): boolean {
  return isSound(message) || isPicture(message);
}
