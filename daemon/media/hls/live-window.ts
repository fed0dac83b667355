/** The newest segments of a channel, in memory. Numbers rise for as long as the machine's clock does. */
import { clockRate } from '../mpegts/pes-time.ts';
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
/** A segment that is still being filled has no body. */
export interface OpenSegment extends SegmentStart {
  readonly number: number;
  /** Discontinuities up to this segment, its own included. */
  readonly discontinuities: number;
  readonly parts: readonly Part[];
}
export interface Segment extends OpenSegment {
  readonly seconds: number;
  readonly body: Blob;
}

/** Segments that a playlist names. */
export const listedSegments = 6;
/** A player that read the playlist a while ago still gets what stood in it. */
const keptSegments = listedSegments + 4;
/** Over this many bytes older segments go first, but what makes a playlist stays. */
const mostBytes = 64 << 20;
const leastSegments = 3;
/** Each waits for one event, at most some seconds. */
const mostWaiting = 1024;

export const tsType = 'video/mp2t';

export class LiveWindow implements SegmentSink {
  private segments: Segment[] = [];
  private filling: (SegmentStart & { parts: Part[]; ticks: number }) | undefined;
  private next = Math.floor(Date.now() / 1000);
  private discontinuities = 0;
  private target = targetTicks / clockRate;
  private partTarget = partTargetTicks / clockRate;
  private readonly waiting = new Set<() => void>();
  private firstFor: Delivery = 'segments';

  get awaited(): Delivery | undefined {
    return this.segments.length === 0 ? this.firstFor : undefined;
  }

  /** Number of the newest whole segment; one less than the first to come while there is none. */
  get newest(): number {
    return this.next - 1;
  }

  /** Seconds, as playlists tell it: no segment is longer when rounded. */
  get targetSeconds(): number {
    return this.target;
  }

  get partTargetSeconds(): number {
    return this.partTarget;
  }

  /** Some players of whole segments can't decode one that continues a group of pictures: they begin behind it. */
  listed(delivery: Delivery): readonly Segment[] {
    const newest = this.segments.slice(-listedSegments);
    return delivery === 'parts' ? newest : newest.slice(newest.findLastIndex(({ isRemainder }) => isRemainder) + 1);
  }

  get open(): OpenSegment | undefined {
    const { filling } = this;
    return filling && { ...filling, number: this.next, discontinuities: this.discontinuities };
  }

  /** The whole segment of this number, or one of its parts. */
  body(number: number, part: number | undefined): Blob | undefined {
    const segment = this.segments.find((one) => one.number === number);
    if (part === undefined) return segment?.body;
    const parts = number === this.next ? this.filling?.parts : segment?.parts;
    return parts?.[part]?.body;
  }

  /** Whether this part, or without one the whole segment, was made already. */
  hasReached(number: number, part: number | undefined): boolean {
    if (number < this.next) return true;
    return number === this.next && part !== undefined && part < (this.filling?.parts.length ?? 0);
  }

  /** Somebody asks for this: the first segment is for those who want it soonest. */
  ask(delivery: Delivery): void {
    if (delivery === 'parts') this.firstFor = delivery;
  }

  /** Resolves once this holds, or after the time given; the answer says whether it does. */
  async until(holds: () => boolean, withinMs: number): Promise<boolean> {
    const giveUpAt = performance.now() + withinMs;
    while (!holds()) {
      const left = giveUpAt - performance.now();
      if (left <= 0 || this.waiting.size >= mostWaiting) return false;
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
    this.partTarget = Math.max(this.partTarget, seconds);
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
    this.target = Math.max(this.target, Math.round(ticks / clockRate));
    this.evict();
    this.changed();
  }

  /** Nobody looks any more. The numbers go on from here. */
  clear(): void {
    this.segments = [];
    this.filling = undefined;
    this.firstFor = 'segments';
    this.target = targetTicks / clockRate;
    this.partTarget = partTargetTicks / clockRate;
    this.changed();
  }

  private evict(): void {
    let bytes = this.segments.reduce((sum, { body }) => sum + body.size, 0);
    while (this.segments.length > keptSegments || (bytes > mostBytes && this.segments.length > leastSegments)) {
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

/** The parts as views of the segment's bytes, so that these are held once. */
function slicesOf(body: Blob, parts: readonly Part[]): Part[] {
  let from = 0;
  return parts.map((part) => {
    const to = from + part.body.size;
    const slice = body.slice(from, to, tsType);
    from = to;
    return { ...part, body: slice };
  });
}
