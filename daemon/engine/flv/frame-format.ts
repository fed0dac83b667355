/** Tells coded frames of one track from everything else. native/rtmp/frames.c has the same rules. */
import { type MediaMessageType, messageType } from './flv-bus.ts';

const frameCommand = 5;
const exHeader = 0x80;
const exCodedFrames = 1;
const exCodedFramesX = 3;
/** Packet type, FourCC, composition time. */
const exVideoBytes = 8;
const exAudioBytes = 5;
/** AVC, HEVC, AV1: legacy tags whose second byte tells frames from headers. */
const codecsWithHeader: ReadonlySet<number> = new Set([7, 12, 13]);
const soundAac = 10;
const soundEx = 9;

/** Returns the codec of the frame: the number of a legacy tag, else its FourCC. Undefined for anything else. */
export function frameFormat(type: MediaMessageType, body: Uint8Array): number | undefined {
  const [first, second] = body;
  if (first === undefined) return undefined;
  if (type === messageType.video) return videoFormat(body, first, second);
  return type === messageType.audio ? audioFormat(body, first, second) : undefined;
}

function videoFormat(body: Uint8Array, first: number, second: number | undefined): number | undefined {
  const low = first & 0x0f;
  if (((first >> 4) & 7) === frameCommand) return undefined;
  if (first & exHeader) {
    return (low === exCodedFrames || low === exCodedFramesX) && body.length >= exVideoBytes ? fourCc(body) : undefined;
  }
  if (!codecsWithHeader.has(low)) return low;
  return body.length >= 5 && second === 1 ? low : undefined;
}

function audioFormat(body: Uint8Array, first: number, second: number | undefined): number | undefined {
  const format = first >> 4;
  if (format === soundEx) {
    return (first & 0x0f) === exCodedFrames && body.length >= exAudioBytes ? fourCc(body) : undefined;
  }
  if (format !== soundAac) return format;
  return second !== undefined && second !== 0 ? format : undefined;
}

function fourCc(body: Uint8Array): number {
  return new DataView(body.buffer, body.byteOffset).getUint32(1);
}
