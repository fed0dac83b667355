/** Sequence headers and metadata that one connection has been sent, so that identical ones are left out. */
import { type FlvMessage, messageType } from './flv-bus.ts';
import { parseAudioTag, parseVideoTag } from './tag.ts';

/** More tracks than a publisher may have; headers beyond are always sent. */
const mostHeaders = 64;

export class ToldHeaders {
  private readonly payloads = new Map<string, Uint8Array>();

  /** Whether the other end has this header already; it has from now on. */
  tell(message: FlvMessage): boolean {
    const key = keyOf(message);
    const known = this.payloads.get(key);
    if (known && Buffer.compare(known, message.payload) === 0) return true;
    if (known || this.payloads.size < mostHeaders) this.payloads.set(key, message.payload);
    return false;
  }

  /** Frames of another codec, which has no header, took the place of what the header described. */
  forget(type: FlvMessage['type']): void {
    this.payloads.delete(String(type));
  }
}

/** What a header describes: the stream, its picture, its sound, or a track. */
function keyOf({ type, payload }: FlvMessage): string {
  if (type === messageType.data) return String(type);
  const tag = type === messageType.video ? parseVideoTag(payload) : parseAudioTag(payload);
  return tag?.track === undefined ? String(type) : `${type} ${tag.track}`;
}
