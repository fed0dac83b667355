/** Carries one channel's TS bus to a native endpoint, which distributes it. Runs only while it has receivers there. */

import { maxPayload } from '../../ipc/frames.ts';
import type { Log } from '../../lib/log.ts';
import type { Cursor } from '../bus/bus.ts';
import { packetSize } from '../mpegts/packet.ts';
import { entryWaitMs, type TsBus, type TsUnit } from '../mpegts/ts-bus.ts';

/** Whole packets only. A frame of a high-rate stream can exceed what one message to the endpoint may hold. */
const maxBytes = maxPayload - (maxPayload % packetSize);

export interface FeedPort {
  /** Returns false if the endpoint's queue is full. */
  sendUnit(channelId: number, data: Uint8Array, entryPoint: boolean): boolean;
  sendTables(channelId: number, tables: Uint8Array): boolean;
  /** The feed has ended: discard what is held. */
  dropFeed(channelId: number): void;
}

interface Part {
  readonly data: Uint8Array;
  readonly isEntry: boolean;
}

export type Feed = ReturnType<typeof createFeed>;

/**
 * `newest`: starts with the newest random access point held. That may exceed the endpoint's queue, so the rest waits in
 * the ring. `next`: starts with the next one, and what does not fit into the queue is lost. Losses are logged.
 */
export function createFeed(
  channelId: number,
  bus: TsBus,
  port: FeedPort,
  { start, log }: { readonly start: 'newest' | 'next'; readonly log: Log },
) {
  let cursor: Cursor<TsUnit> | undefined;
  let sentTables = new Uint8Array(0);
  let lost = 0;
  let hasSent = false;
  let waiting: Part[] = [];
  let isPumping = false;
  let skippedBytes = 0;

  function pump(): void {
    // Sending may find that the queue has room again and call back here; the loop below continues anyway.
    if (isPumping) return;
    isPumping = true;
    try {
      send();
    } finally {
      isPumping = false;
    }
  }

  function send(): void {
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
    if (unit.data.length <= maxBytes) return [{ data: unit.data, isEntry }];
    const parts: Part[] = [];
    for (let at = 0; at < unit.data.length; at += maxBytes) {
      parts.push({ data: unit.data.subarray(at, at + maxBytes), isEntry: isEntry && at === 0 });
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
    // Drop only our own data: an endpoint that fills the feed itself may have started.
    if (hasSent) port.dropFeed(channelId);
    hasSent = false;
  }

  function begin(): void {
    cursor ??= bus.ring.subscribe(pump, start, entryWaitMs);
    pump();
  }

  return {
    /** Number of receivers of the channel that the endpoint serves. */
    want(receivers: number) {
      if (receivers > 0) begin();
      else stop();
    },
    /** The endpoint was restarted and holds nothing. */
    restart() {
      if (!cursor) return;
      endCursor();
      begin();
    },
    /** The endpoint's queue has room again. */
    resume: pump,
    get lost() {
      return lost;
    },
    close: stop,
  };
}
