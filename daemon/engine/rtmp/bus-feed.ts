/** Feeds one socket from an FLV bus: a player, or a push to another server. */
import type { Cursor } from '../bus/bus.ts';
import type { FlvBus, FlvUnit } from '../flv/flv-bus.ts';
import { SentHeaders } from '../flv/sent-headers.ts';
import type { Writer } from '../net/socket-writer.ts';
import { withHeaders, withoutSent } from './wire.ts';

export type FeedStats = BusFeed['stats'];

export class BusFeed {
  private readonly cursor: Cursor<FlvUnit>;
  private readonly writer: Writer;
  private readonly sent = new SentHeaders();

  /** `toWire` turns a unit into chunked bytes. Media flows from now on, first the fast start that the bus holds. */
  constructor(bus: FlvBus, writer: Writer, toWire: (unit: FlvUnit) => Uint8Array) {
    this.writer = writer;
    this.cursor = bus.ring.subscribe(() => writer.pump());
    writer.setSource(() => {
      const unit = this.cursor.take();
      if (!unit) return undefined;
      // A player that lost a group may have lost a header change with it. Headers that the player has are omitted, also
      // after the publisher reconnects: when FFmpeg copies to Matroska, a repeated one damages the file.
      return toWire(this.cursor.jumped ? withHeaders(unit, bus.headers, this.sent) : withoutSent(unit, this.sent));
    });
  }

  /** The backlog of this reader in the ring, and what it lost by being slow. */
  get stats() {
    const { units, times } = this.cursor.skipped;
    return { lagMs: Math.round(this.cursor.lag.ms), skippedUnits: units, skips: times };
  }

  close(): void {
    this.cursor.close();
    this.writer.setSource(undefined);
  }
}
