/** Requests from players: the address with its path and track, the offered transports, the session. */
import { unescaped } from '../../lib/bytes.ts';
import type { RtspMessage } from '../rtsp/message.ts';

export interface RtspRequest {
  readonly method: string;
  /** As sent. */
  readonly uri: string;
  /** Without leading and trailing slashes; undefined for `*` and anything else that is not an address. */
  readonly path: string | undefined;
  /** The track at the end of the address. */
  readonly track: number | undefined;
  /** Session id; undefined if there is none. */
  readonly session: string | undefined;
  readonly header: (name: string) => string | undefined;
  readonly hasBody: boolean;
}

/** Transport of one track. `channel` or `port` is that of RTP; RTCP has the next one. */
export type Transport =
  | { readonly kind: 'tcp'; readonly channel: number | undefined }
  | { readonly kind: 'udp'; readonly port: number };

const maxUriLength = 1024;
const maxTransports = 8;

/** Returns undefined if the message is not a request. */
export function readRequest({ startLine, headers, body }: RtspMessage): RtspRequest | undefined {
  const [, method, uri = ''] = /^([A-Z_]{1,32}) (\S+) RTSP\/1\.\d$/.exec(startLine) ?? [];
  if (method === undefined || uri.length > maxUriLength) return undefined;
  const session = headers.get('session')?.split(';')[0]?.trim();
  const header = (name: string) => headers.get(name);
  return { method, uri, ...readUri(uri), session, header, hasBody: body.length > 0 };
}

function readUri(uri: string): Pick<RtspRequest, 'path' | 'track'> {
  const [, written] = /^rtsps?:\/\/[^/?#]*\/?([^?#]*)/i.exec(uri) ?? [];
  if (written === undefined) return { path: undefined, track: undefined };
  const [, path = '', track] = /^(.*?)(?:\/trackID=(\d{1,3}))?\/*$/.exec(written) ?? [];
  return { path: unescaped(path), track: track === undefined ? undefined : Number(track) };
}

/** Returns the first offered transport that is supported; undefined if there is none. */
export function readTransport(header: string): Transport | undefined {
  for (const offer of header.split(',').slice(0, maxTransports)) {
    const [profile = '', ...parameters] = offer.split(';').map((part) => part.trim());
    const transport = readOffer(profile.toUpperCase(), new Map(parameters.map(split)));
    if (transport) return transport;
  }
  return undefined;
}

function readOffer(profile: string, parameters: ReadonlyMap<string, string>): Transport | undefined {
  if (parameters.has('multicast') || (parameters.get('mode') ?? 'play') !== 'play') return undefined;
  if (profile === 'RTP/AVP/TCP') {
    const channel = parameters.get('interleaved');
    const first = readFirst(channel ?? '', 254);
    return channel !== undefined && first === undefined ? undefined : { kind: 'tcp', channel: first };
  }
  if (profile !== 'RTP/AVP' && profile !== 'RTP/AVP/UDP') return undefined;
  const port = readFirst(parameters.get('client_port') ?? '', 65_534);
  return port === undefined || port === 0 ? undefined : { kind: 'udp', port };
}

/** Reads a pair of consecutive numbers such as `4-5`, or `4` alone. Returns the first. */
function readFirst(text: string, max: number): number | undefined {
  const [, first, second] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  const number = Number(first);
  if (first === undefined || number > max) return undefined;
  return second === undefined || Number(second) === number + 1 ? number : undefined;
}

function split(parameter: string): [string, string] {
  const at = parameter.indexOf('=');
  const [name, value] = at < 0 ? [parameter, ''] : [parameter.slice(0, at), parameter.slice(at + 1)];
  return [name.trim().toLowerCase(), value.trim().replace(/^"|"$/g, '').toLowerCase()];
}
