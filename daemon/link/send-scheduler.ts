/** Builds messages: frames of the link first, then data of the streams by priority, in turn within each. */
import { frameTypes, headerBytes, maxMessageBytes, readU32, writeHeader } from './frames.ts';
import { type LinkStream, type Priority, priorities } from './link-stream.ts';

/**
 * A message holds about this much data, so that a frame of the link or of a higher priority waits for little. With its
 * headers it is below the 64 KiB that the kernel passes on as one packet: a little more costs a second packet, and the
 * receiver copies messages that arrive in parts.
 */
const messageBytes = 60 << 10;
/** Largest frame of a stream while one of a higher priority waits. */
const yieldingBytes = 16 << 10;
/** After this many frames in a row, one of a lower priority is sent: no stream waits forever. */
const framesInRow = 16;
const smallest = headerBytes + 1024;

interface SchedulerOptions {
  /** Largest payload of DATA that the peer accepts. */
  readonly frameBytes: () => number;
  readonly onFin: (stream: LinkStream) => void;
}

/** Links build their messages one at a time, and the sockets copy them. */
const scratch = new Uint8Array(maxMessageBytes);

const levels: Readonly<Record<Priority, number>> = { control: 0, interactive: 1, bulk: 2, preview: 3 };

/** A class for the same reason as the heartbeat. */
export class SendScheduler {
  private readonly options: SchedulerOptions;
  private control: Uint8Array[] = [];
  /** Streams that wait, by priority. Empty until the first one: most links are at rest. */
  private rings: LinkStream[][] = [];
  private inRow = 0;

  constructor(options: SchedulerOptions) {
    this.options = options;
  }

  /** Adds a frame, which is sent before any data. */
  push(frame: Uint8Array): void {
    this.control.push(frame);
  }

  schedule(stream: LinkStream): void {
    if (stream.isScheduled || !stream.canSend) return;
    stream.isScheduled = true;
    if (this.rings.length === 0) this.rings = priorities.map(() => []);
    this.rings[levels[stream.priority]]?.push(stream);
  }

  /** Removes all frames of the stream if its OPEN was not sent yet. Returns whether that was so. */
  withdraw({ id }: LinkStream): boolean {
    const isUnsent = this.control.some((frame) => frame[0] === frameTypes.open && readU32(frame, 1) === id);
    if (isUnsent) this.control = this.control.filter((frame) => readU32(frame, 1) !== id);
    return isUnsent;
  }

  /** Returns the next message, which is valid until the next call, or undefined if nothing can be sent. */
  next(): Uint8Array | undefined {
    const afterControl = this.control.length === 0 ? 0 : this.writeControl();
    const end = afterControl >= messageBytes ? afterControl : this.writeData(afterControl);
    return end === 0 ? undefined : scratch.subarray(0, end);
  }

  get frames(): number {
    return this.control.length;
  }

  clear(): void {
    this.control = [];
    this.rings = [];
  }

  /** The highest priority with a stream that can send, now and then the one below it. */
  private nextLevel(): { readonly level: number; readonly mustYield: boolean } | undefined {
    const level = this.rings.findIndex(hasSender);
    if (level < 0) return undefined;
    const below = this.rings.findIndex((ring, at) => at > level && hasSender(ring));
    if (below < 0) {
      this.inRow = 0;
      return { level, mustYield: false };
    }
    this.inRow += 1;
    if (this.inRow <= framesInRow) return { level, mustYield: false };
    this.inRow = 0;
    return { level: below, mustYield: true };
  }

  private writeControl(): number {
    const { control } = this;
    let at = 0;
    let taken = 0;
    for (const frame of control) {
      if (at + frame.length > maxMessageBytes) break;
      scratch.set(frame, at);
      at += frame.length;
      taken += 1;
    }
    this.control = taken === control.length ? [] : control.slice(taken);
    return at;
  }

  private writeData(from: number): number {
    if (this.rings.length === 0) return from;
    let at = from;
    const served: LinkStream[] = [];
    while (at + smallest <= messageBytes + headerBytes) {
      const next = this.nextLevel();
      const ring = next && this.rings[next.level];
      const stream = ring?.shift();
      if (next === undefined || ring === undefined || stream === undefined) break;
      const maxBytes = Math.min(
        next.mustYield ? yieldingBytes : this.options.frameBytes(),
        messageBytes - at,
        stream.queuedBytes,
        stream.credit,
      );
      if (maxBytes > 0) {
        const length = stream.moveTo(scratch, at + headerBytes, maxBytes);
        writeHeader(scratch, at, { type: frameTypes.data, id: stream.id, length });
        at += headerBytes + length;
        served.push(stream);
      }
      if (stream.queuedBytes === 0 && stream.isEnding) {
        writeHeader(scratch, at, { type: frameTypes.fin, id: stream.id, length: 0 });
        at += headerBytes;
        stream.hasSentFin = true;
        stream.isScheduled = false;
        this.options.onFin(stream);
      } else if (stream.canSend) ring.push(stream);
      else stream.isScheduled = false;
    }
    for (const stream of served) stream.tellWritable();
    return at;
  }
}

function hasSender(ring: LinkStream[]): boolean {
  for (let first = ring[0]; first !== undefined; first = ring[0]) {
    if (first.canSend) return true;
    first.isScheduled = false;
    ring.shift();
  }
  return false;
}
