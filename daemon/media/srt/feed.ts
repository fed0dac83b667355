/** Carries one channel's TS bus to the SRT endpoint, which fans it out; runs only while somebody there wants it. */
import type { Cursor } from '../bus.ts';
import type { TsBus, TsUnit } from '../mpegts/ts-bus.ts';

export interface FeedPort {
  /** False when the endpoint's queue is full: the unit is lost for all SRT receivers of the channel. */
  sendUnit(channelId: number, data: Uint8Array, entryPoint: boolean): boolean;
  sendTables(channelId: number, tables: Uint8Array): boolean;
  /** Nothing more will come: forget what is held. */
  dropFeed(channelId: number): void;
}

export interface SrtFeed {
  /** Number of SRT receivers (clients and callers) of the channel. */
  want(receivers: number): void;
  /** The endpoint was started anew and holds nothing. */
  restart(): void;
  readonly lost: number;
  close(): void;
}

export function createSrtFeed(channelId: number, bus: TsBus, port: FeedPort): SrtFeed {
  let cursor: Cursor<TsUnit> | undefined;
  let sentTables = new Uint8Array(0);
  let lost = 0;

  function pump(): void {
    for (;;) {
      const unit = cursor?.take();
      if (!unit) return;
      if (bus.tables !== sentTables && port.sendTables(channelId, bus.tables))
        sentTables = bus.tables as typeof sentTables;
      if (!port.sendUnit(channelId, unit.data, unit.entryPoint)) lost++;
    }
  }

  function stop(): void {
    if (!cursor) return;
    cursor.close();
    cursor = undefined;
    sentTables = new Uint8Array(0);
    port.dropFeed(channelId);
  }

  function start(): void {
    cursor ??= bus.ring.subscribe(pump);
    pump();
  }

  return {
    want(receivers) {
      if (receivers > 0) start();
      else stop();
    },
    restart() {
      if (!cursor) return;
      cursor.close();
      cursor = undefined;
      sentTables = new Uint8Array(0);
      start();
    },
    get lost() {
      return lost;
    },
    close: stop,
  };
}
