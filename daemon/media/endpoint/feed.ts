/** Carries one channel's TS bus to a native endpoint, which fans it out; runs only while somebody there wants it. */
import type { Log } from '../../lib/log.ts';
import type { Cursor } from '../bus.ts';
import { packetSize } from '../mpegts/packet.ts';
import { entryWaitMs, type TsBus, type TsUnit } from '../mpegts/ts-bus.ts';
import { maxPayload } from './wire.ts';

/** Of whole packets: a picture of high rate is more than a frame to the endpoint may hold. */
const mostBytes = maxPayload - (maxPayload % packetSize);

export interface FeedPort {
  /** False when the endpoint's queue is full: the unit is lost for all of the channel's receivers there. */
  sendUnit(channelId: number, data: Uint8Array, entryPoint: boolean): boolean;
  sendTables(channelId: number, tables: Uint8Array): boolean;
  /** Nothing more will come: forget what is held. */
  dropFeed(channelId: number): void;
}

export interface Feed {
  /** Number of receivers of the channel that the endpoint serves. */
  want(receivers: number): void;
  /** The endpoint was started anew and holds nothing. */
  restart(): void;
  readonly lost: number;
  close(): void;
}

/** `start`: with the newest entry point held, or the next one to come. What the endpoint has no room for is logged. */
export function createFeed(
  channelId: number,
  bus: TsBus,
  port: FeedPort,
  { start, log }: { readonly start: 'newest' | 'next'; readonly log: Log },
): Feed {
  let cursor: Cursor<TsUnit> | undefined;
  let sentTables = new Uint8Array(0);
  let lost = 0;
  let hasSent = false;

  function pump(): void {
    for (;;) {
      const unit = cursor?.take();
      if (!unit) return;
      if (bus.tables !== sentTables && port.sendTables(channelId, bus.tables))
        sentTables = bus.tables as typeof sentTables;
      hasSent = true;
      const isEntry = unit.entryPoint || (cursor?.jumped === true && !cursor.beganAtEntry);
      for (let at = 0; at < unit.data.length; at += mostBytes) {
        const part = unit.data.subarray(at, at + mostBytes);
        if (!port.sendUnit(channelId, part, isEntry && at === 0)) lose(part.length);
      }
    }
  }

  function lose(bytes: number): void {
    lost++;
    log.warn('an endpoint does not keep up, and its receivers lose packets', { channel: channelId, bytes });
  }

  function stop(): void {
    if (!cursor) return;
    cursor.close();
    cursor = undefined;
    sentTables = new Uint8Array(0);
    // What isn't ours stays: an endpoint that fills the feed itself may have begun.
    if (hasSent) port.dropFeed(channelId);
    hasSent = false;
  }

  function begin(): void {
    cursor ??= bus.ring.subscribe(pump, start, entryWaitMs);
    pump();
  }

  return {
    want(receivers) {
      if (receivers > 0) begin();
      else stop();
    },
    restart() {
      if (!cursor) return;
      cursor.close();
      cursor = undefined;
      sentTables = new Uint8Array(0);
      begin();
    },
    get lost() {
      return lost;
    },
    close: stop,
  };
}
