/** Composition times in FLV video tags (FLV 10.1, E.4.3; Enhanced RTMP v2, ExVideoTagHeader). */
import { parseVideoTag } from '../flv/tag.ts';

const composed = new Set(['h264', 'hevc']);

/** Returns the tag with a shorter composition time, for frames that are shown faster than they were taken. */
export function scaleComposition(payload: Uint8Array, pace: number): Uint8Array {
  const tag = parseVideoTag(payload);
  if (!tag || tag.compositionMs === 0 || !composed.has(tag.codec)) return payload;
  // If present, the composition time is the last field before the coded data.
  const at = tag.dataOffset - 3;
  const scaled = Math.round(tag.compositionMs * pace);
  const copy = new Uint8Array(payload);
  copy[at] = (scaled >> 16) & 0xff;
  copy[at + 1] = (scaled >> 8) & 0xff;
  copy[at + 2] = scaled & 0xff;
  return copy;
}
