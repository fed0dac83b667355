/** Parses a session description (RFC 4566) as far as an RTSP pull needs it. */

import { controlCharacter, RtspError } from './message.ts';

export interface SdpMedia {
  readonly kind: 'video' | 'audio';
  /** As in `a=rtpmap`, upper case: `H264`, `MPEG4-GENERIC`. */
  readonly encoding: string;
  /** Clock rate of its timestamps in hertz; 0 if unknown. */
  readonly clockRate: number;
  /** Payload type of its RTP packets. */
  readonly payloadType: number;
  /** Parameters of `a=fmtp`, with names in lower case. */
  readonly parameters: ReadonlyMap<string, string>;
  /** Request URL for SETUP. */
  readonly control: string;
}

export interface Sdp {
  /** Request URL for PLAY and TEARDOWN. */
  readonly control: string;
  readonly media: readonly SdpMedia[];
}

/** Static payload types (RFC 3551) that a transport stream can carry. */
const staticEncodings: Readonly<Record<string, string>> = { '14': 'MPA', '32': 'MPV', '33': 'MP2T' };
/** Clock rate in hertz of all of them. */
const staticClockRate = 90_000;
const maxMedia = 16;

/** `base`: base URL for relative URLs. Throws RtspError. */
export function parseSdp(text: string, base: string): Sdp {
  const sections: string[][] = [[]];
  for (const line of text.split(/\r?\n/)) {
    if (controlCharacter.test(line)) throw new RtspError('control characters in the session description');
    if (line.startsWith('m=')) sections.push([]);
    if (/^[a-z]=/.test(line)) sections.at(-1)?.push(line);
  }
  const [session = [], ...rest] = sections.slice(0, maxMedia + 1);
  const control = resolve(controlOf(session) ?? '*', base);
  const media = rest.map((lines) => readMedia(lines, control)).filter((one) => one !== undefined);
  return { control, media };
}

function readMedia(lines: readonly string[], base: string): SdpMedia | undefined {
  const [, kind, formats = ''] = /^m=(video|audio) \d+(?:\/\d+)? RTP\/\S+ (.*)/.exec(lines[0] ?? '') ?? [];
  if (kind !== 'video' && kind !== 'audio') return undefined;
  const [format = ''] = formats.trim().split(/\s+/);
  const map = lines.find((line) => line.startsWith(`a=rtpmap:${format} `));
  const mapped = map?.split(' ')[1]?.split('/');
  const encoding = mapped ? (mapped[0] ?? '') : (staticEncodings[format] ?? '');
  const clockRate = mapped ? Number(mapped[1]) : encoding ? staticClockRate : 0;
  return {
    kind,
    encoding: encoding.toUpperCase(),
    clockRate: Number.isInteger(clockRate) ? clockRate : 0,
    payloadType: Number(format),
    parameters: parametersOf(lines.find((line) => line.startsWith(`a=fmtp:${format} `)) ?? ''),
    control: resolve(controlOf(lines) ?? '*', base),
  };
}

/** `a=fmtp:96 name=value; name=value`: values may hold further equals signs. */
function parametersOf(line: string): ReadonlyMap<string, string> {
  const texts = line.slice(line.indexOf(' ') + 1).split(';');
  const pairs = texts.map((text) => /^\s*([^=\s]+)=(.*?)\s*$/.exec(text) ?? []);
  return new Map(pairs.map(([, name = '', value = '']) => [name.toLowerCase(), value]));
}

function controlOf(lines: readonly string[]): string | undefined {
  return lines
    .find((line) => line.startsWith('a=control:'))
    ?.slice('a=control:'.length)
    .trim();
}

/** Appends instead of resolving as a web URL, as servers with a query in their URL expect (RFC 2326, C.1.1). */
function resolve(control: string, base: string): string {
  if (control === '*' || control === '') return base;
  if (/^rtsps?:\/\//i.test(control)) return control;
  return base.endsWith('/') ? base + control : `${base}/${control}`;
}
