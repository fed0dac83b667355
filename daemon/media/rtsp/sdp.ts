/** What a session description (RFC 4566) says about the media of an RTSP stream, as far as a pull needs it. */

import { controlCharacter, RtspError } from './message.ts';

export interface SdpMedia {
  readonly kind: 'video' | 'audio';
  /** As in `a=rtpmap`, upper case: `H264`, `MPEG4-GENERIC`. */
  readonly encoding: string;
  /** Ticks of its time stamps in a second; 0 where nobody says. */
  readonly clockRate: number;
  /** Where SETUP goes. */
  readonly control: string;
  /** Its lines, without the control address. */
  readonly lines: readonly string[];
}

export interface Sdp {
  /** Where PLAY and TEARDOWN go. */
  readonly control: string;
  readonly session: readonly string[];
  readonly media: readonly SdpMedia[];
}

/** Static payload types (RFC 3551) that a transport stream can hold. */
const staticEncodings: Readonly<Record<string, string>> = { '14': 'MPA', '32': 'MPV', '33': 'MP2T' };
/** Of all of those. */
const staticClockRate = 90_000;
const maxMedia = 16;

/** `base`: what relative addresses refer to. Throws RtspError. */
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
  return { control, session: session.filter((line) => !line.startsWith('a=control:')), media };
}

/** The description of a stream with these media only, with the given control addresses. */
export function writeSdp(session: readonly string[], media: readonly { lines: readonly string[]; control: string }[]) {
  const lines = media.flatMap(({ lines: own, control }) => [...own, `a=control:${control}`]);
  return `${[...session, ...lines].join('\r\n')}\r\n`;
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
    control: resolve(controlOf(lines) ?? '*', base),
    lines: lines.filter((line) => !line.startsWith('a=control:')),
  };
}

function controlOf(lines: readonly string[]): string | undefined {
  return lines
    .find((line) => line.startsWith('a=control:'))
    ?.slice('a=control:'.length)
    .trim();
}

/** Appended, not resolved as a web address would be: what servers with a query in their address mean (RFC 2326, C.1.1). */
function resolve(control: string, base: string): string {
  if (control === '*' || control === '') return base;
  if (/^rtsps?:\/\//i.test(control)) return control;
  return base.endsWith('/') ? base + control : `${base}/${control}`;
}
