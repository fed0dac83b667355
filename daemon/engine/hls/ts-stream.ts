/**
 * HTTP-TS: one endless response with the bytes of the TS bus. More is taken from the bus only when the socket has
 * accepted the last chunk, so a slow reader costs one chunk of memory and skips in the ring like any other reader.
 */
import { timing } from '../../timing.ts';
import type { Channel } from '../channel/channel.ts';
import type { Refused } from '../channel/clients.ts';
import { entryWaitMs } from '../mpegts/ts-bus.ts';

export interface TsStream {
  readonly body: ReadableStream<Uint8Array>;
  /** Ends a reader that accepts nothing. */
  tick(): void;
  end(): void;
}

interface TsStreamOptions {
  readonly channel: Channel;
  readonly peer: string;
  /** The response is complete, or its reader is gone. */
  readonly onEnd: (stream: TsStream) => void;
  readonly now: () => number;
}

/** Bytes written to the socket at once, if that much is available. */
const chunkBytes = 64 << 10;

/** Refuses when a player limit is reached. */
export function openTsStream({ channel, peer, onEnd, now }: TsStreamOptions): TsStream | Refused {
  let wake: () => void = () => undefined;
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let isOver = false;
  let bytes = 0;
  let askedAt = now();
  let isWaiting = false;
  const cursor = channel.ts.ring.subscribe(() => wake(), 'newest', entryWaitMs);
  const client = channel.addClient({
    protocol: 'http',
    peer,
    bytes: () => bytes,
    skipped: () => cursor.skipped.units,
    queueMs: () => cursor.lag.ms,
    srt: () => undefined,
    close: () => end(),
  });
  if ('refused' in client) {
    cursor.close();
    return client;
  }

  function gather(): Uint8Array | undefined {
    const parts: Uint8Array[] = [];
    let size = 0;
    while (size < chunkBytes) {
      const unit = cursor.take();
      if (!unit) break;
      // After a skip or a change of publisher, the reader may have the wrong tables.
      if (cursor.jumped) parts.push(channel.ts.tables);
      parts.push(unit.data);
      size += unit.bytes;
    }
    return parts.length > 1 ? Buffer.concat(parts) : parts[0];
  }

  function end(): void {
    if (isOver) return;
    isOver = true;
    cursor.close();
    if (client && 'remove' in client) client.remove();
    wake();
    controller?.close();
    onEnd(stream);
  }

  const body = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given;
      },
      async pull(given) {
        askedAt = now();
        isWaiting = true;
        let chunk = gather();
        while (!chunk && !isOver) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          chunk = isOver ? undefined : gather();
        }
        isWaiting = false;
        askedAt = now();
        if (!chunk || isOver) return;
        bytes += chunk.length;
        given.enqueue(chunk);
      },
      cancel() {
        controller = undefined;
        end();
      },
    },
    { highWaterMark: 0 },
  );

  const stream: TsStream = {
    body,
    tick() {
      if (!isWaiting && now() - askedAt > timing.httpServer.stallMs) end();
    },
    end,
  };
  return stream;
}
