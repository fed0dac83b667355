/** Chunk streams as other programs write them: every kind of header, any chunk size, messages inside one another. */
import type { OutgoingMessage } from '../../daemon/engine/rtmp/chunk-writer.ts';
import type { Random } from '../../tests/fuzz/random.ts';

interface Stream {
  readonly id: number;
  isNew: boolean;
  timestamp: number;
  delta: number;
  length: number;
  type: number;
  hasExtended: boolean;
}

const extended = 0xffffff;

function basic(format: number, id: number): number[] {
  if (id < 64) return [(format << 6) | id];
  return id < 320 ? [format << 6, id - 64] : [(format << 6) | 1, (id - 64) & 0xff, (id - 64) >> 8];
}

const u24 = (value: number) => [(value >> 16) & 0xff, (value >> 8) & 0xff, value & 0xff];
const u32 = (value: number) => [(value >>> 24) & 0xff, ...u24(value & 0xffffff)];

/** Writes messages in chunks of this size. Types have chunk streams of their own, so their chunks may alternate. */
export function createChunkMaker(random: Random, chunkBytes: number) {
  const streams = new Map<number, Stream>();

  function header(stream: Stream, { type, timestamp, payload }: OutgoingMessage): number[] {
    const delta = (timestamp - stream.timestamp) >>> 0;
    const isSame = stream.type === type && stream.length === payload.length;
    const smallest = stream.isNew || delta >= 0x7fffffff ? 0 : isSame ? (delta === stream.delta ? 3 : 2) : 1;
    const format = random.below(4) === 0 ? Math.min(smallest, random.below(4)) : smallest;
    const time = format === 0 ? timestamp : delta;
    const isLong = format === 3 ? stream.hasExtended : time >= extended;
    const field = u24(isLong ? extended : time);
    const rest = [...u24(payload.length), type];
    const parts = [[...field, ...rest, 1, 0, 0, 0], [...field, ...rest], field, []];
    Object.assign(stream, { isNew: false, timestamp, length: payload.length, type, hasExtended: isLong });
    if (format !== 3) stream.delta = time;
    return [...basic(format, stream.id), ...(parts[format] ?? []), ...(isLong ? u32(stream.delta) : [])];
  }

  function chunksOf(message: OutgoingMessage): Buffer[] {
    const known = streams.get(message.type);
    const stream = known ?? {
      id: message.type === 9 ? random.pick([6, 63, 64, 319]) : random.pick([4, 320, 65_599]),
      ...{ isNew: true, timestamp: 0, delta: 0, length: 0, type: 0, hasExtended: false },
    };
    streams.set(message.type, stream);
    const chunks = [Buffer.from([...header(stream, message), ...message.payload.subarray(0, chunkBytes)])];
    for (let at = chunkBytes; at < message.payload.length; at += chunkBytes) {
      const next = [...basic(3, stream.id), ...(stream.hasExtended ? u32(stream.delta) : [])];
      chunks.push(Buffer.concat([Buffer.from(next), message.payload.subarray(at, at + chunkBytes)]));
    }
    return chunks;
  }

  /** Returns the bytes, and the messages in the order in which they are complete. */
  return (messages: readonly OutgoingMessage[]) => {
    const bytes: Buffer[] = [];
    const complete: OutgoingMessage[] = [];
    let open: { readonly message: OutgoingMessage; readonly chunks: Buffer[] } | undefined;
    const close = (): void => {
      if (!open) return;
      bytes.push(...open.chunks);
      complete.push(open.message);
      open = undefined;
    };
    for (const message of messages) {
      // Only a message of another type may begin inside an unfinished one.
      if (open?.message.type === message.type) close();
      const chunks = chunksOf(message);
      if (!open && random.below(3) === 0 && chunks.length > 1) {
        bytes.push(...chunks.splice(0, 1 + random.below(chunks.length - 1)));
        open = { message, chunks };
        continue;
      }
      bytes.push(...chunks);
      complete.push(message);
    }
    close();
    return { bytes: Buffer.concat(bytes), complete };
  };
}
