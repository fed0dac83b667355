/** Sequence headers and metadata sent to one connection, so that identical ones are not repeated. */
import { type FlvMessage, messageType } from './flv-bus.ts';
import { parseAudioTag, parseVideoTag } from './tag.ts';

/** More than the tracks a publisher may have; further headers are always sent. */
const maxHeaders = 64;

export class SentHeaders {
  private readonly payloads = new Map<string, Uint8Array>();

  /** Returns whether the peer already has this header, and marks it as sent. */
  tell(message: FlvMessage): boolean {
    const key = keyOf(message);
    const known = this.payloads.get(key);
    if (known && Buffer.compare(known, message.payload) === 0) return true;
    if (known || this.payloads.size < maxHeaders) this.payloads.set(key, message.payload);
    return false;
  }

  /** Frames of another codec, which has no header, replaced those that the header described. */
  forget(type: FlvMessage['type']): void {
    this.payloads.delete(String(type));
  }
}

/** What a header describes: the metadata, the video, the audio, or a track. */
function keyOf({ type, payload }: FlvMessage): string {
  if (type === messageType.data) return String(type);
  const tag = type === messageType.video ? parseVideoTag(payload) : parseAudioTag(payload);
  return tag?.track === undefined ? String(type) : `${type} ${tag.track}`;
}
