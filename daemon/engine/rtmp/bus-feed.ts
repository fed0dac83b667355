/** Feeds one socket from an FLV bus: a player, or a push to another server. */
import type { Cursor, CursorStart } from '../bus/bus.ts';
import type { FlvBus, FlvUnit } from '../flv/flv-bus.ts';
import { SentHeaders } from '../flv/sent-headers.ts';
import type { Writer } from '../net/socket-writer.ts';
import { withHeaders, withoutSent } from './wire.ts';

export type FeedStats = BusFeed['stats'];

export class BusFeed {
  readonly bus: FlvBus;
  readonly writer: Writer;
  /** Called when everything on the bus was sent. */
  onLevel: (() => void) | undefined;
  private cursor: Cursor<FlvUnit> | undefined;
  private readonly sent = new SentHeaders();
  /** Messages before this one were sent already. */
  private from = 0;
  private skippedUnits = 0;
  private skips = 0;

  /** `toWire` turns a unit into chunked bytes. Media flows from now on, first the fast start that the bus holds. */
  constructor(bus: FlvBus, writer: Writer, toWire: (unit: FlvUnit) => Uint8Array) {
    this.bus = bus;
    this.writer = writer;
    this.read('newest');
    writer.setSource(() => {
      const unit = this.next();
      if (!unit || !this.cursor) return undefined;
      // A player that lost a group may have lost a header change with it. Headers that the player has are omitted, also
      // after the publisher reconnects: when FFmpeg copies to Matroska, a repeated one damages the file.
      return toWire(this.cursor.jumped ? withHeaders(unit, bus.headers, this.sent) : withoutSent(unit, this.sent));
    });
  }

  /** The backlog of this reader in the ring, and what it lost by being slow. */
  get stats() {
    const { units, times } = this.cursor?.skipped ?? { units: 0, times: 0 };
    return {
      lagMs: Math.round(this.cursor?.lag.ms ?? 0),
      skippedUnits: this.skippedUnits + units,
      skips: this.skips + times,
    };
  }

  /** Whether it reads the bus. */
  get isReading(): boolean {
    return this.cursor !== undefined;
  }

  /** Whether it has sent, or passed to the socket, everything on the bus. */
  get isLevel(): boolean {
    return this.cursor?.isLevel === true && this.writer.isIdle;
  }

  /** Somebody else feeds the socket from now on. */
  leave(): void {
    const { skippedUnits, skips } = this.stats;
    this.skippedUnits = skippedUnits;
    this.skips = skips;
    this.cursor?.close();
    this.cursor = undefined;
  }

  /** Reads on with this message of the bus; if the bus no longer holds it, with the next random access point. */
  resume(message: number): void {
    const { ring, messages } = this.bus;
    this.from = message;
    const from = ring.newest(({ index = Number.POSITIVE_INFINITY }) => index <= message);
    if (from >= 0) this.read({ from });
    else this.read(messages <= message ? { from: ring.next } : 'next');
  }

  close(): void {
    this.leave();
    this.writer.setSource(undefined);
  }

  private read(start: CursorStart): void {
    this.cursor = this.bus.ring.subscribe(() => this.writer.pump(), start);
  }

  private next(): FlvUnit | undefined {
    for (;;) {
      const unit = this.cursor?.take();
      if (!unit) {
        this.onLevel?.();
        return undefined;
      }
      const { index = 0, messages } = unit;
      if (index >= this.from || this.cursor?.jumped) return unit;
      const rest = messages.slice(this.from - index);
      if (rest.length > 0) return { ...unit, messages: rest };
    }
  }
}
