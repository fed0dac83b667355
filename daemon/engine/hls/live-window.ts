/** The newest segments of a channel, in memory. Numbers keep rising as the machine's clock does. */
import { clockRate } from '../mpegts/clock.ts';
import {
  type Delivery,
  type PartBytes,
  partTargetTicks,
  type SegmentSink,
  type SegmentStart,
  targetTicks,
} from './segmenter.ts';

export interface Part {
  readonly seconds: number;
  readonly isIndependent: boolean;
  readonly body: Blob;
}
/** A segment that is still being filled and has no body yet. */
export interface OpenSegment extends SegmentStart {
  readonly number: number;
  /** Discontinuities up to and including this segment's own. */
  readonly discontinuities: number;
  readonly parts: readonly Part[];
}
export interface Segment extends OpenSegment {
  readonly seconds: number;
  readonly body: Blob;
}

/** Number of segments in a playlist. */
export const listedSegments = 6;
/** A player that read the playlist a while ago can still fetch its segments. */
const keptSegments = listedSegments + 4;
/** Above this many bytes, older segments are dropped sooner, but enough for a playlist remain. */
const maxBytes = 64 << 20;
const leastSegments = 3;
/** Limit of pending requests. Each waits for one event, for a few seconds at most. */
const maxWaiting = 1024;

export const tsType = 'video/mp2t';

export class LiveWindow implements SegmentSink {
  private segments: Segment[] = [];
  private filling: (SegmentStart & { parts: Part[]; ticks: number }) | undefined;
  private next = Math.floor(Date.now() / 1000);
  private discontinuities = 0;
  /** Target duration in seconds, as in playlists: no segment exceeds it when rounded. */
  targetSeconds = targetTicks / clockRate;
  partTargetSeconds = partTargetTicks / clockRate;
  private readonly waiting = new Set<() => void>();
  private firstFor: Delivery = 'segments';

  get awaited(): Delivery | undefined {
    return this.segments.length === 0 ? this.firstFor : undefined;
  }

  /** Number of the newest whole segment; if there is none, one less than the first. */
  get newest(): number {
    return this.next - 1;
  }

  /** Some players of whole segments cannot decode one that continues a group of pictures, so they start after it. */
  listed(delivery: Delivery): readonly Segment[] {
    const newest = this.segments.slice(-listedSegments);
    return delivery === 'parts' ? newest : newest.slice(newest.findLastIndex(({ isRemainder }) => isRemainder) + 1);
  }

  get open(): OpenSegment | undefined {
    const { filling } = this;
    return filling && { ...filling, number: this.next, discontinuities: this.discontinuities };
  }

  /** Returns the whole segment of this number, or one of its parts. */
  body(number: number, part: number | undefined): Blob | undefined {
    const segment = this.segments.find((one) => one.number === number);
    if (part === undefined) return segment?.body;
    const parts = number === this.next ? this.filling?.parts : segment?.parts;
    return parts?.[part]?.body;
  }

  /** Whether this part already exists, or without `part` the whole segment. */
  hasReached(number: number, part: number | undefined): boolean {
    if (number < this.next) return true;
    return number === this.next && part !== undefined && part < (this.filling?.parts.length ?? 0);
  }

  /** Registers a request. The first segment is made for the delivery that needs it soonest. */
  ask(delivery: Delivery): void {
    if (delivery === 'parts') this.firstFor = delivery;
  }

  /** Resolves once the condition holds or the time is over, with whether it holds. */
  async until(holds: () => boolean, withinMs: number): Promise<boolean> {
    const giveUpAt = performance.now() + withinMs;
    while (!holds()) {
      const left = giveUpAt - performance.now();
      if (left <= 0 || this.waiting.size >= maxWaiting) return false;
      await this.change(left);
    }
    return true;
  }

  begin(start: SegmentStart): void {
    if (start.isDiscontinuous) this.discontinuities++;
    this.filling = { ...start, parts: [], ticks: 0 };
  }

  add({ ticks, isIndependent, chunks }: PartBytes): void {
    const { filling } = this;
    if (!filling) return;
    filling.ticks += ticks;
    const seconds = ticks / clockRate;
    filling.parts.push({ seconds, isIndependent, body: new Blob([...chunks], { type: tsType }) });
    this.partTargetSeconds = Math.max(this.partTargetSeconds, seconds);
    this.changed();
  }

  end(): void {
    const { filling } = this;
    if (!filling) return;
    const { ticks, parts, ...start } = filling;
    const body = new Blob(
      parts.map((part) => part.body),
      { type: tsType },
    );
    this.segments.push({
      ...start,
      number: this.next++,
      discontinuities: this.discontinuities,
      seconds: ticks / clockRate,
      body,
      parts: slicesOf(body, parts),
    });
    this.filling = undefined;
    this.targetSeconds = Math.max(this.targetSeconds, Math.round(ticks / clockRate));
    this.evict();
    this.changed();
  }

  /** Called when there are no viewers any more. Numbering continues. */
  clear(): void {
    this.segments = [];
    this.filling = undefined;
    this.firstFor = 'segments';
    this.targetSeconds = targetTicks / clockRate;
    this.partTargetSeconds = partTargetTicks / clockRate;
    this.changed();
  }

  private evict(): void {
    let bytes = this.segments.reduce((sum, { body }) => sum + body.size, 0);
    while (this.segments.length > keptSegments || (bytes > maxBytes && this.segments.length > leastSegments)) {
      bytes -= this.segments.shift()?.body.size ?? 0;
    }
  }

  private change(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, withinMs);
      this.waiting.add(done);
    });
  }

  private changed(): void {
    for (const done of [...this.waiting]) done();
  }
}

/** Returns the parts as views of the segment's bytes, which are thus held only once. */
function slicesOf(body: Blob, parts: readonly Part[]): Part[] {
  let from = 0;
  return parts.map((part) => {
    const to = from + part.body.size;
    const slice = body.slice(from, to, tsType);
    from = to;
    return { ...part, body: slice };
  });
}
