/** Feeds one socket from an FLV bus: a player of ours, or a push to another server. */
import type { Cursor } from '../bus.ts';
import type { FlvBus, FlvUnit } from '../flv/flv-bus.ts';
import { ToldHeaders } from '../flv/told-headers.ts';
import type { Outlet } from '../outlet.ts';
import { withHeaders, withoutTold } from './wire.ts';

export interface FeedStats {
  /** What waits in the ring for this reader. */
  readonly lagMs: number;
  readonly lagBytes: number;
  /** What it lost by being slow. */
  readonly skippedUnits: number;
  readonly skippedBytes: number;
  readonly skips: number;
}

export class BusFeed {
  private readonly cursor: Cursor<FlvUnit>;
  private readonly outlet: Outlet;
  private readonly told = new ToldHeaders();
  private hasStarted = false;

  /** `toWire` turns a unit into chunked bytes. Media flows from here on, first what the bus holds for a fast start. */
  constructor(bus: FlvBus, outlet: Outlet, toWire: (unit: FlvUnit) => Uint8Array) {
    this.outlet = outlet;
    this.cursor = bus.ring.subscribe(() => outlet.pump());
    outlet.setSource(() => {
      const unit = this.cursor.take();
      if (!unit) return undefined;
      this.hasStarted = true;
      // A player that lost a group may have lost a header change with it. Headers that say what the player knows are left
      // out, also after a reconnect of the publisher: FFmpeg that copies to Matroska damages its file at the second one.
      return toWire(this.cursor.jumped ? withHeaders(unit, bus.headers, this.told) : withoutTold(unit, this.told));
    });
  }

  /** Whether any media was there to send. */
  get isFlowing(): boolean {
    return this.hasStarted;
  }

  get stats(): FeedStats {
    const { ms, bytes } = this.cursor.lag;
    const { units, bytes: skippedBytes, times } = this.cursor.skipped;
    return { lagMs: Math.round(ms), lagBytes: bytes, skippedUnits: units, skippedBytes, skips: times };
  }

  close(): void {
    this.cursor.close();
    this.outlet.setSource(undefined);
  }
}
