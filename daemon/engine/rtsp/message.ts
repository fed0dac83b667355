/** RTSP wire format (RFC 2326): requests, responses and interleaved packets (section 10.12). */

import { asBuffer } from '../../lib/bytes.ts';

export interface RtspMessage {
  /** `RTSP/1.0 200 OK` or `PLAY rtsp://… RTSP/1.0`. */
  readonly startLine: string;
  /** Names in lower case. Values of repeated headers are joined with a comma. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

interface RtspEvents {
  message(message: RtspMessage): void;
  /** A packet of an interleaved channel; `payload` is valid only during the call. */
  packet(channel: number, payload: Uint8Array): void;
}

/** The peer violated the protocol or a limit. */
export class RtspError extends Error {
  override readonly name = 'RtspError';
}

const maxHeaderBytes = 16 << 10;
/** Other parsers may end a line at a lone CR or LF, and would then see lines that were not checked here. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: rejects control characters
export const controlCharacter = /[\u0000-\u0008\u000a-\u001f\u007f]/;
const maxBodyBytes = 64 << 10;
/** Longest method name, including the space after it. */
const longestWord = 16;
const dollar = 0x24;
/** Precedes each interleaved packet. */
export const frameHeaderBytes = 4;
const noBytes = Buffer.alloc(0);

export class RtspReader {
  private readonly events: RtspEvents;
  private rest: Buffer = noBytes;
  private strayLeft: number;
  /** Whether RTSP was received: anything else from then on is padding. */
  private hasStarted = false;

  /** `maxStray`: maximum bytes of padding between messages and packets, in total. */
  constructor(events: RtspEvents, maxStray = 0) {
    this.events = events;
    this.strayLeft = maxStray;
  }

  /** Throws RtspError. Copies the parts of `input` that it keeps. */
  feed(input: Uint8Array): void {
    const data = this.rest.length > 0 ? Buffer.concat([this.rest, input]) : asBuffer(input);
    let at = 0;
    while (at < data.length) {
      if (this.hasStarted && this.strayLeft > 0 && isStray(data, at)) {
        this.strayLeft--;
        at++;
        continue;
      }
      const used = data[at] === dollar ? this.packet(data, at) : this.message(data, at);
      if (used === 0) break;
      this.hasStarted = true;
      at += used;
    }
    this.rest = at < data.length ? Buffer.from(data.subarray(at)) : noBytes;
  }

  private packet(data: Buffer, at: number): number {
    if (data.length - at < frameHeaderBytes) return 0;
    const length = frameHeaderBytes + data.readUInt16BE(at + 2);
    if (data.length - at < length) return 0;
    this.events.packet(data[at + 1] ?? 0, data.subarray(at + frameHeaderBytes, at + length));
    return length;
  }

  private message(data: Buffer, at: number): number {
    // Some cameras send an empty line after a body.
    if (data[at] === 0x0d || data[at] === 0x0a) return 1;
    const end = data.indexOf('\r\n\r\n', at, 'latin1');
    if (end < 0) {
      if (data.length - at > maxHeaderBytes) throw new RtspError('a header without an end');
      return 0;
    }
    const [startLine = '', ...lines] = data.toString('utf8', at, end).split('\r\n');
    if (!/^(RTSP\/1\.\d \d{3}|[A-Z_]+ \S+ RTSP\/1\.\d)/.test(startLine)) throw new RtspError('not RTSP');
    if ([startLine, ...lines].some((line) => controlCharacter.test(line))) {
      throw new RtspError('control characters in a header');
    }
    const headers = readHeaders(lines);
    const declared = headers.get('content-length') ?? '0';
    const length = Number(declared);
    if (!/^\d+$/.test(declared) || length > maxBodyBytes) throw new RtspError('a body too large');
    const from = end + 4;
    if (data.length < from + length) return 0;
    this.events.message({ startLine, headers, body: Buffer.from(data.subarray(from, from + length)) });
    return from + length - at;
  }
}

/** Whether neither a packet nor a message can begin at `at`, judging by the bytes received so far. */
function isStray(data: Buffer, at: number): boolean {
  const first = data[at];
  if (first === dollar || first === 0x0d || first === 0x0a) return false;
  return !/^(?:RTSP\/|[A-Z_]+(?: |$))/.test(data.toString('latin1', at, at + longestWord));
}

/** A header with several values is written once per value. */
export type RtspHeaders = Readonly<Record<string, string | readonly string[]>>;

export function encodeMessage(startLine: string, headers: RtspHeaders, body = ''): Buffer {
  const named = Object.entries({ ...headers, ...(body && { 'Content-Length': String(Buffer.byteLength(body)) }) });
  const lines = named.flatMap(([name, values]) => [values].flat().map((value) => `${name}: ${value}\r\n`));
  return Buffer.from(`${startLine}\r\n${lines.join('')}\r\n${body}`);
}

export function encodePacket(channel: number, payload: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafeSlow(frameHeaderBytes + payload.length);
  writeFrameHeader(frame, 0, channel, payload.length);
  frame.set(payload, frameHeaderBytes);
  return frame;
}

export function writeFrameHeader(bytes: Uint8Array, at: number, channel: number, length: number): void {
  bytes[at] = dollar;
  bytes[at + 1] = channel;
  bytes[at + 2] = length >> 8;
  bytes[at + 3] = length & 0xff;
}

function readHeaders(lines: readonly string[]): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon <= 0) continue;
    const name = line.slice(0, colon).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return headers;
}
