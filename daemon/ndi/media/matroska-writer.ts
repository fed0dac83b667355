/**
 * Writes raw frames as a Matroska stream, so that one pipe carries video and audio with their timestamps. Frames are
 * not copied: the caller writes what `beginBlock` returns, then the frame itself.
 */
import { elements, type RawAudio, type RawVideo, trackNumbers, trackTypes } from './matroska.ts';

/** Nanoseconds per unit of a timestamp: the unit is 100 us. */
const scaleNs = 100_000;
const unknownSize = new Uint8Array([0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);

/** Returns what precedes the first frame. */
export function streamHead(video: RawVideo, audio: RawAudio | undefined): Uint8Array<ArrayBuffer> {
  const tracks = [videoTrack(video), ...(audio ? [audioTrack(audio)] : [])];
  return concat([
    element(elements.header, [
      text(elements.docType, 'matroska'),
      number(elements.docTypeVersion, 4),
      number(elements.docTypeReadVersion, 2),
    ]),
    idBytes(elements.segment),
    unknownSize,
    element(elements.info, [
      number(elements.timestampScale, scaleNs),
      text(elements.muxingApp, 'Signalbox'),
      text(elements.writingApp, 'Signalbox'),
    ]),
    element(elements.tracks, tracks),
  ]);
}

/** Returns what precedes a frame of `bytes` at `time`, which is in 100 us. */
export function beginBlock(track: keyof typeof trackNumbers, time: number, bytes: number): Uint8Array<ArrayBuffer> {
  // The time is that of the cluster, which has one block; 0x80 marks a frame that can be decoded alone.
  const blockHead = new Uint8Array([0x80 | trackNumbers[track], 0, 0, 0x80]);
  const block = concat([idBytes(elements.simpleBlock), sizeBytes(blockHead.length + bytes), blockHead]);
  const timestamp = number(elements.timestamp, time);
  return concat([idBytes(elements.cluster), sizeBytes(timestamp.length + block.length + bytes), timestamp, block]);
}

function videoTrack({ width, height, fourCc, rate, aspect }: RawVideo): Uint8Array {
  const displayWidth = aspect > 0 ? Math.max(1, Math.round(height * aspect)) : width;
  return element(elements.trackEntry, [
    ...trackHead('video', 'V_UNCOMPRESSED'),
    number(elements.defaultDuration, Math.round((1e9 * rate.denominator) / rate.numerator)),
    element(elements.video, [
      number(elements.pixelWidth, width),
      number(elements.pixelHeight, height),
      number(elements.displayWidth, displayWidth),
      number(elements.displayHeight, height),
      text(elements.colorSpace, fourCc),
    ]),
  ]);
}

function audioTrack({ sampleRate, channels }: RawAudio): Uint8Array {
  const rate = new DataView(new ArrayBuffer(8));
  rate.setFloat64(0, sampleRate);
  return element(elements.trackEntry, [
    ...trackHead('audio', 'A_PCM/FLOAT/IEEE'),
    element(elements.audio, [
      element(elements.samplingFrequency, [new Uint8Array(rate.buffer)]),
      number(elements.channels, channels),
      number(elements.bitDepth, 32),
    ]),
  ]);
}

function trackHead(kind: keyof typeof trackNumbers, codec: string): Uint8Array[] {
  return [
    number(elements.trackNumber, trackNumbers[kind]),
    number(elements.trackUid, trackNumbers[kind]),
    number(elements.trackType, trackTypes[kind]),
    number(elements.lacing, 0),
    text(elements.codecId, codec),
  ];
}

function element(id: number, parts: readonly Uint8Array[]): Uint8Array {
  const bytes = parts.reduce((sum, part) => sum + part.length, 0);
  return concat([idBytes(id), sizeBytes(bytes), ...parts]);
}

const text = (id: number, value: string) => element(id, [new TextEncoder().encode(value)]);
const number = (id: number, value: number) => element(id, [bigEndian(value)]);

const idBytes = (id: number) => bigEndian(id);

function sizeBytes(size: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(size) | (1n << 56n));
  return bytes;
}

/** The shortest form, at least one byte. */
function bigEndian(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; rest > 0 || bytes.length === 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return new Uint8Array(bytes);
}

function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(new ArrayBuffer(parts.reduce((sum, part) => sum + part.length, 0)));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
