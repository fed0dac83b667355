/** Addresses of streams and their URL form: `udp://host:port?ttl=&localaddr=`, `rtp://…`, `srt://host:port?mode=caller&…`. */
import { limits } from '../contract/limits.ts';
import { isMulticast } from '../contract/rules.ts';
import { SrtAddress, UdpAddress } from '../contract/stream-fields.ts';
import { type InputOptions, type TsChoice, takeOptions } from './input-options.ts';
import { keptFor } from './kept-secrets.ts';
import { formatNdiUrl, type NdiStream } from './ndi-address.ts';
import { takeUnkeptOptions } from './srt-url-options.ts';

/** An output made from a server, whose keys are never shown. */
interface MayHideKey {
  /** The stream key or stream ID is write-only. Cleared when a user sets another one. */
  readonly isKeyHidden?: true;
}
export interface SrtStream extends MayHideKey {
  readonly protocol: 'srt';
  readonly mode: 'caller' | 'listener';
  readonly host: string;
  readonly port: number;
  /** Milliseconds. */
  readonly latency: number;
  /** Percent. */
  readonly overhead: number;
  readonly streamId: string;
  /** Bytes; 0 is no encryption. */
  readonly keyLength: 0 | 16 | 24 | 32;
  readonly passphrase: string;
  /** For an output in listener mode. */
  readonly maxConnections: number;
  /** For an input; absent if the whole stream is used. */
  readonly ts?: TsChoice;
}
interface Datagrams {
  readonly host: string;
  readonly port: number;
  readonly ttl: number;
  /** Address of the local interface for multicast; '' lets the system choose. */
  readonly interface: string;
  /** For an input: the only accepted sender; '' for any. */
  readonly source: string;
  readonly ts?: TsChoice;
  /** Jitter buffer of an input, milliseconds; absent if there is none. */
  readonly bufferMs?: number;
}
/** TS over UDP, plain or in RTP. */
export type UdpStream = (Datagrams & { readonly protocol: 'udp' }) | (Datagrams & { readonly protocol: 'rtp' });
export interface RtmpStream extends MayHideKey {
  readonly protocol: 'rtmp';
  /** Up to the application name. */
  readonly url: string;
  readonly key: string;
  readonly auth: boolean;
  readonly username: string;
  readonly password: string;
  /** As for UDP. */
  readonly bufferMs?: number;
}
interface Pulled {
  /** Without user name and password. */
  readonly url: string;
  readonly auth: boolean;
  readonly username: string;
  readonly password: string;
  /** Milliseconds. */
  readonly bufferMs: number;
}
/** A source that an input pulls: RTSP, or TS and HLS over HTTP. */
export type PullStream =
  | (Pulled & { readonly protocol: 'rtsp'; readonly tcpFirst: boolean })
  | (Pulled & { readonly protocol: 'http'; readonly ts?: TsChoice });
/** An output that players pull from the hub. */
export interface RtspServerStream {
  readonly protocol: 'rtsp';
  readonly port: number;
  /** The path. */
  readonly key: string;
  readonly maxClients: number;
  readonly auth: boolean;
  readonly username: string;
  readonly password: string;
}
export type StreamAddress = SrtStream | UdpStream | RtmpStream | PullStream | RtspServerStream | NdiStream;

/** A broken address rule. `rule` is a word that the console translates; `detail` names the option, never its value. */
export interface AddressFault {
  readonly rule: string;
  readonly detail: string;
}
type Parsed = { readonly address: SrtStream | UdpStream } | { readonly fault: AddressFault };
/** The options of the stream are separate from its address. */
export type ParsedUrl = Parsed & { readonly options?: Partial<InputOptions> };

const fault = (rule: string, detail: string): { fault: AddressFault } => ({ fault: { rule, detail } });

/** URL option to member of the typed address. */
const srtOptions = {
  mode: 'mode',
  latency: 'latency',
  streamid: 'stream-id',
  passphrase: 'passphrase',
  pbkeylen: 'pb-key-len',
  oheadbw: 'bandwidth-overhead',
  maxconn: 'max-connections',
} as const;
const udpOptions = { ttl: 'ttl', localaddr: 'interface', source: 'source' } as const;
const numericMembers: ReadonlySet<string> = new Set([
  'latency',
  'pb-key-len',
  'bandwidth-overhead',
  'max-connections',
  'ttl',
]);

/** FFmpeg writes `udp://@group:port`. A stream ID may contain `#`, so fragments are not recognized. */
const urlParts = /^([a-z][a-z0-9+.-]*):\/\/@?(\[[^\]]*\]|[^:/?]*)(?::([^/?]*))?(\/?)(?:\?(.*))?$/is;

export function schemeOf(url: string): string {
  return /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase() ?? '';
}

/** Parses a `udp:`, `rtp:` or `srt:` URL. Omitted options get their default; omitted encryption stays as in `kept`. */
export function parseStreamUrl(url: string, kept?: SrtStream): ParsedUrl {
  const [, scheme = '', host = '', port = '', , query = ''] = urlParts.exec(url) ?? [];
  const protocol = scheme.toLowerCase();
  if (protocol !== 'srt' && protocol !== 'udp' && protocol !== 'rtp')
    return fault('url', 'not of the form scheme://host:port?options');
  if (!/^\d{1,5}$/.test(port)) return fault(port === '' ? 'required' : 'port', 'port');
  const params = new URLSearchParams(query);
  const own = takeOptions(params);
  if ('fault' in own) return own;
  const unkept = protocol === 'srt' ? takeUnkeptOptions(params) : undefined;
  if (unkept) return { fault: unkept };
  const options = readOptions(params, protocol === 'srt' ? srtOptions : udpOptions);
  if ('fault' in options) return options;
  const typed = { host: host.replace(/^\[|\]$/g, ''), port: Number(port), ...options.members };
  const checked = protocol === 'srt' ? checkSrt(typed, kept) : checkUdp(protocol, typed);
  return Object.keys(own).length === 0 ? checked : { ...checked, options: own };
}

type Members = Record<string, string | number>;

function readOptions(
  query: URLSearchParams,
  known: Readonly<Record<string, string>>,
): { members: Members } | { fault: AddressFault } {
  const members: Members = {};
  for (const [name, value] of query) {
    const member = Object.hasOwn(known, name) ? known[name] : undefined;
    if (member === undefined) return fault('unknownOption', name.slice(0, 40));
    if (Object.hasOwn(members, member)) return fault('repeated', name);
    if (numericMembers.has(member) && !/^\d{1,9}$/.test(value)) return fault('number', name);
    members[member] = numericMembers.has(member) ? Number(value) : value;
  }
  return { members };
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly code: string;
}

function firstFault(issues: readonly Issue[]): { fault: AddressFault } {
  const [issue] = issues;
  const rule = issue && /^[a-z]\w*$/i.test(issue.message) ? issue.message : 'choice';
  return fault(rule, String(issue?.path[0] ?? ''));
}

function checkSrt(typed: Members, kept: SrtStream | undefined): Parsed {
  const streamId = kept?.isKeyHidden ? {} : { 'stream-id': '' };
  const withDefaults = { mode: 'caller', latency: limits.latency.default, ...streamId, ...typed };
  const checked = SrtAddress.safeParse(withDefaults);
  if (!checked.success) return firstFault(checked.error.issues);
  const defaults = { overhead: limits.bandwidthOverhead.default, maxConnections: limits.maxConnections.default };
  return { address: srtStream(checked.data, kept && { ...kept, ...defaults }) };
}

function checkUdp(protocol: UdpStream['protocol'], typed: Members): Parsed {
  const checked = UdpAddress.safeParse(typed);
  return checked.success ? { address: udpStream(protocol, checked.data) } : firstFault(checked.error.issues);
}

/** Members that the typed address omits are taken from `stored`, or get the default; see kept-secrets.ts for moves. */
export function srtStream(typed: SrtAddress, stored?: SrtStream): SrtStream {
  const kept = keptFor(stored, typed);
  // A caller does not use it.
  const keptRoom = typed.mode === 'listener' ? kept?.maxConnections : undefined;
  const passphrase = typed.passphrase ?? kept?.passphrase ?? '';
  const keyLength = typed['pb-key-len'] ?? (typed.passphrase === undefined ? kept?.keyLength : kept?.keyLength || 16);
  return {
    protocol: 'srt',
    mode: typed.mode,
    host: typed.host,
    port: typed.port,
    latency: typed.latency,
    overhead: typed['bandwidth-overhead'] ?? kept?.overhead ?? limits.bandwidthOverhead.default,
    streamId: typed['stream-id'] ?? kept?.streamId ?? '',
    keyLength: keyLength ?? 0,
    passphrase: keyLength === 0 ? '' : passphrase,
    maxConnections: typed['max-connections'] ?? keptRoom ?? limits.maxConnections.default,
    ...(typed['stream-id'] === undefined && kept?.isKeyHidden && { isKeyHidden: true }),
  };
}

export function udpStream(protocol: UdpStream['protocol'], typed: UdpAddress, kept?: UdpStream): UdpStream {
  return {
    protocol,
    host: typed.host,
    port: typed.port,
    ttl: typed.ttl ?? kept?.ttl ?? limits.ttl.default,
    interface: typed.interface ?? kept?.interface ?? '',
    source: typed.source ?? kept?.source ?? '',
  };
}

const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** Returns the destination without options, for lists and logs. */
export function labelOf(address: StreamAddress): string {
  if ('url' in address) return address.url.replace(/\?.*$/, '');
  if (address.protocol === 'rtsp') return `rtsp://0.0.0.0:${address.port}`;
  if (address.protocol === 'ndi') return `ndi://${address.name}`;
  return `${address.protocol}://${bracketed(address.host)}:${address.port}`;
}

/** Returns the URL form without secrets. */
export function formatStreamUrl(address: StreamAddress): string {
  if ('url' in address) return address.url;
  if (address.protocol === 'rtsp') return `${labelOf(address)}/${address.key}`;
  if (address.protocol === 'ndi') return formatNdiUrl(address);
  const options = address.protocol === 'srt' ? srtQuery(address) : udpQuery(address);
  const query = options.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return query === '' ? labelOf(address) : `${labelOf(address)}?${query}`;
}

type Option = readonly [name: string, value: string | number];

function srtQuery({ mode, latency, overhead, streamId, keyLength, maxConnections }: SrtStream): Option[] {
  return [
    ['mode', mode],
    ['latency', latency],
    ...(overhead === limits.bandwidthOverhead.default ? [] : [['oheadbw', overhead] as const]),
    ...(streamId === '' ? [] : [['streamid', streamId] as const]),
    ...(keyLength === 0 ? [] : [['pbkeylen', keyLength] as const]),
    ...(maxConnections === limits.maxConnections.default ? [] : [['maxconn', maxConnections] as const]),
  ];
}

function udpQuery(address: UdpStream): Option[] {
  const showsTtl = isMulticast(address.host) || address.ttl !== limits.ttl.default;
  return [
    ...(showsTtl ? [['ttl', address.ttl] as const] : []),
    ...(address.interface === '' ? [] : [['localaddr', address.interface] as const]),
    ...(address.source === '' ? [] : [['source', address.source] as const]),
  ];
}

/** Returns the local TCP or UDP port that a stream listens on. RTSP outputs with different paths may share one. */
export function listenPortOf(address: StreamAddress): number | undefined {
  if (address.protocol === 'srt') return address.mode === 'listener' ? address.port : undefined;
  return isRtspServer(address) ? address.port : undefined;
}

export function isRtspServer(address: StreamAddress): address is RtspServerStream {
  return address.protocol === 'rtsp' && 'port' in address;
}
