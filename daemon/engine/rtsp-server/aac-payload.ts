/** AAC frames in RTP payloads: RFC 3640, mode AAC-hbr, one frame or one fragment per payload. */
import type { EmitPayload } from './nal-payload.ts';

/** The frame size field has 13 bits. */
const maxFrameBytes = 8191;
const headerBytes = 4;
const headersLengthBits = 16;

/** Ignores a frame that is too long for the format. */
export function packSound(frame: Uint8Array, maxBytes: number, emit: EmitPayload): void {
  if (frame.length === 0 || frame.length > maxFrameBytes) return;
  // Every fragment contains the size of the whole frame; the index after it is 0.
  const header = Uint8Array.of(0, headersLengthBits, frame.length >> 5, (frame.length & 31) << 3);
  const room = maxBytes - headerBytes;
  for (let at = 0; at < frame.length; at += room) {
    emit([header, frame.subarray(at, at + room)], at + room >= frame.length);
  }
}
