/** Compresses an endless stream message by message, so that each can be read as soon as it arrives. */
import { constants, crc32, deflateRawSync } from 'node:zlib';

/** RFC 1952: deflate, no name, no time, unknown system. */
const head = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
/** An empty last block. */
const lastBlock = [3, 0];

export function createGzipStream() {
  let checksum = 0;
  let length = 0;
  let hasStarted = false;
  return {
    /**
     * Returns the message as blocks that end on a byte boundary (RFC 1951, 3.2.4). No block refers to an earlier
     * message, so a reader costs the hub no memory.
     */
    next(message: Uint8Array): Uint8Array {
      checksum = crc32(message, checksum);
      length = (length + message.length) >>> 0;
      const blocks = deflateRawSync(message, { finishFlush: constants.Z_SYNC_FLUSH });
      const isFirst = !hasStarted;
      hasStarted = true;
      return isFirst ? Buffer.concat([head, blocks]) : blocks;
    },
    /** Returns the end of the stream. */
    end(): Uint8Array {
      const tail = Buffer.alloc(8);
      tail.writeUInt32LE(checksum, 0);
      tail.writeUInt32LE(length, 4);
      return Buffer.concat([...(hasStarted ? [] : [head]), Buffer.from(lastBlock), tail]);
    },
  };
}
export type GzipStream = ReturnType<typeof createGzipStream>;
