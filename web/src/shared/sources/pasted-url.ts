/** URLs as they come by chat or from an encoder's manual, read into the fields of the form. Pure. */
import { limits } from '../../../../daemon/contract/limits.ts';
import { decoded } from './shown-address.ts';
import type { SourceProtocol, SourceValues } from './source-values.ts';

type Filled = Partial<SourceValues> & { readonly protocol: SourceProtocol };

/** Fields into which a URL can be pasted. */
export const addressFields: ReadonlySet<string> = new Set<keyof SourceValues>([
  ...(['srtHost', 'rtmpUrl', 'pullUrl', 'udpHost'] as const),
]);

/** Returns the fields that a URL fills in; undefined if it is none, or none of a protocol that the form offers. */
export function readPastedUrl(text: string, protocols: readonly SourceProtocol[]): Filled | undefined {
  const url = /^(srt|rtmps?|udp|rtp|rtsps?|https?):\/\//i.test(text) ? parse(text) : undefined;
  if (url === undefined) return undefined;
  const filled = readers[url.scheme]?.(url);
  return filled !== undefined && protocols.includes(filled.protocol) ? filled : undefined;
}

interface Parsed {
  readonly scheme: string;
  /** Without user name and password. */
  readonly text: string;
  /** Without the brackets of IPv6. */
  readonly host: string;
  readonly port: string;
  readonly user: string;
  readonly password: string;
  readonly query: URLSearchParams;
}

/** Browsers parse the host only of schemes that they know, so another one takes the place of the real one. */
function parse(text: string): Parsed | undefined {
  const [, scheme = '', rest = ''] = /^([a-z]+):\/\/(\S*)$/i.exec(text) ?? [];
  // FFmpeg and VLC write udp://@group:port.
  const url = URL.parse(`ws://${rest.replace(/^@/, '')}`);
  if (url === null) return undefined;
  const [authority = '', ...path] = rest.split(/(?=[/?])/);
  return {
    scheme: scheme.toLowerCase(),
    text: `${scheme.toLowerCase()}://${authority.replace(/^.*@/, '')}${path.join('')}`,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    // Port 80 is the default of the scheme in its place.
    port: url.port || (/:80$/.test(authority) ? '80' : ''),
    user: decoded(url.username),
    password: decoded(url.password),
    query: url.searchParams,
  };
}

const readers: Readonly<Record<string, (url: Parsed) => Filled>> = {
  srt: readSrt,
  rtmp: readRtmp,
  rtmps: readRtmp,
  udp: (url) => readDatagrams('udp', url),
  rtp: (url) => readDatagrams('rtp', url),
  rtsp: (url) => readPulled('rtsp', url),
  rtsps: (url) => readPulled('rtsp', url),
  http: (url) => readPulled('http', url),
  https: (url) => readPulled('http', url),
};

function readSrt({ host, port, query }: Parsed): Filled {
  const latency = Number(query.get('latency') ?? query.get('rcvlatency') ?? Number.NaN);
  // FFmpeg and OBS give microseconds, most others milliseconds.
  const latencyMs = latency > limits.latency.max ? Math.round(latency / 1000) : latency;
  const passphrase = query.get('passphrase') ?? '';
  const keyLength = query.get('pbkeylen') ?? '';
  return {
    protocol: 'srt',
    srtMode: query.get('mode') === 'listener' || host === '' ? 'listener' : 'caller',
    srtHost: host,
    srtPort: port,
    srtStreamId: query.get('streamid') ?? '',
    ...(Number.isFinite(latencyMs) && { srtLatency: String(latencyMs) }),
    ...(passphrase !== '' && {
      srtPassphrase: passphrase,
      srtKeyLength: ['16', '24', '32'].includes(keyLength) ? keyLength : '16',
    }),
  };
}

/** The first part of the path is the application, which belongs to the server; the rest is the key. */
function readRtmp({ text, user, password }: Parsed): Filled {
  const [, server = text, key = ''] = /^(rtmps?:\/\/[^/]+\/[^/?]+)\/(.+)$/.exec(text) ?? [];
  return {
    protocol: 'rtmp',
    rtmpUrl: server,
    ...(key !== '' && { rtmpKey: key }),
    ...(user !== '' && { rtmpAuth: true, rtmpUser: user, rtmpPassword: password }),
  };
}

function readDatagrams(protocol: 'udp' | 'rtp', { host, port, query }: Parsed): Filled {
  const ttl = query.get('ttl') ?? '';
  return { protocol, udpHost: host, udpPort: port, ...(/^\d{1,3}$/.test(ttl) && { udpTtl: ttl }) };
}

function readPulled(protocol: 'rtsp' | 'http', { text, user, password }: Parsed): Filled {
  return {
    protocol,
    pullUrl: text,
    ...(user !== '' && { pullAuth: true, pullUser: user, pullPassword: password }),
  };
}
