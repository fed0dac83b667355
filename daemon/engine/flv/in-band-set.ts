/** The sequence parameter set within a keyframe, in addition to the one in the sequence header. */
import type { VideoTag } from './tag.ts';

/** Delimiter, other parameter sets and SEI units may precede it; slices follow it. */
const maxUnitsBefore = 8;

const isSet: Readonly<Record<string, (header: number) => boolean>> = {
  h264: (header) => (header & 0x1f) === 7,
  hevc: (header) => ((header >> 1) & 0x3f) === 33,
};

/** `config`: the decoder configuration record of the sequence header, which contains the size of length fields. */
export function inBandSet(tag: VideoTag, body: Uint8Array, config: Uint8Array): Uint8Array | undefined {
  const test = isSet[tag.codec];
  const lengthSize = ((config[tag.codec === 'h264' ? 4 : 21] ?? 3) & 3) + 1;
  let at = tag.dataOffset;
  for (let unit = 0; test && unit <= maxUnitsBefore; unit++) {
    let length = 0;
    for (let i = 0; i < lengthSize; i++) length = length * 256 + (body[at + i] ?? 0);
    at += lengthSize;
    if (at + length > body.length) return undefined;
    if (length > 0 && test(body[at] ?? 0)) return body.subarray(at, at + length);
    at += length;
  }
  return undefined;
}
