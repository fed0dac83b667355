/** Carries one channel's TS bus to a native endpoint, which fans it out; runs only while somebody there wants it. */
import type { Log } from '../../lib/log.ts';
import type { Cursor } from '../bus.ts';
import { packetSize } from '../mpegts/packet.ts';
import { entryWaitMs, type TsBus, type TsUnit } from '../mpegts/ts-bus.ts';
import { maxPayload } from './wire.ts';

/** Of whole packets: a picture of high rate is more than a frame to the endpoint may hold. */
const mostBytes = maxPayload - (maxPayload % packetSize);

export interface FeedPort {
  /** False when the endpoint's queue is full. */
  sendUnit(channelId: number, data: Uint8Array, entryPoint: boolean): boolean;
  sendTables(channelId: number, tables: Uint8Array): boolean;
  /** Nothing more will come: forget what is held. */
  dropFeed(channelId: number): void;
}

interface Part {
  readonly data: Uint8Array;
  readonly isEntry: boolean;
}

export interface Feed {
  /** Number of receivers of the channel that the endpoint serves. */
  want(receivers: number): void;
  /** The endpoint was started anew and holds nothing. */
  restart(): void;
  /** The endpoint's queue has room again. */
  resume(): void;
  readonly lost: number;
  close(): void;
}

/**
 * `start`: with the newest entry point held, which may be more than the endpoint's queue takes at a time, so that the rest
 * waits in the ring; or with the next one to come, and then what finds no room is lost. Losses are logged.
 */
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
  let waiting: Part[] = [];
  let skippedBytes = 0;

  function pump(): void {
    for (;;) {
      if (waiting.length === 0) waiting = nextParts();
      const [part] = waiting;
      if (!part) return;
      if (bus.tables !== sentTables && port.sendTables(channelId, bus.tables))
        sentTables = bus.tables as typeof sentTables;
      hasSent = true;
      if (!port.sendUnit(channelId, part.data, part.isEntry)) {
        if (start === 'newest') return;
        lose(part.data.length);
      }
      waiting.shift();
    }
  }

  function nextParts(): Part[] {
    const unit = cursor?.take();
    if (!cursor || !unit) return [];
    const { bytes } = cursor.skipped;
    if (bytes > skippedBytes) lose(bytes - skippedBytes);
    skippedBytes = bytes;
    const isEntry = unit.entryPoint || (cursor.jumped && !cursor.beganAtEntry);
    const parts: Part[] = [];
    for (let at = 0; at < unit.data.length; at += mostBytes) {
      parts.push({ data: unit.data.subarray(at, at + mostBytes), isEntry: isEntry && at === 0 });
    }
    return parts;
  }

  function lose(bytes: number): void {
    lost++;
    log.warn('an endpoint does not keep up, and its receivers lose packets', { channel: channelId, bytes });
  }

  function endCursor(): void {
    cursor?.close();
    cursor = undefined;
    waiting = [];
    skippedBytes = 0;
    sentTables = new Uint8Array(0);
  }

  function stop(): void {
    if (!cursor) return;
    endCursor();
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
      endCursor();
      begin();
    },
    resume: pump,
    get lost() {
      return lost;
    },
    close: stop,
  };
}
