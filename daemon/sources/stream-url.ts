/** The URL form of addresses. Functions that parse one throw a HubError that names `config.url`. */
import type * as z from 'zod/mini';
import { limits } from '../contract/limits.ts';
import { NdiAddress, ndiTransports } from '../contract/ndi.ts';
import { isHost, isMulticast } from '../contract/rules.ts';
import { SrtAddress, UdpAddress } from '../contract/stream-fields.ts';
import { unescaped } from '../lib/bytes.ts';
import { fieldFault } from '../lib/field-fault.ts';
import { takeUnkeptOptions } from './srt-url-options.ts';
import { labelOf, type NdiStream, type SrtStream, type StreamAddress, type UdpStream } from './stream-address.ts';
import { ndiStream, showNdi, showSrt, showUdp, srtStream, udpStream } from './typed-address.ts';
import { formatOptions, readOptions, type UrlOptions, urlError } from './url-options.ts';

const srtOptions: UrlOptions = {
  mode: { member: 'mode' },
  latency: { member: 'latency', isNumber: true },
  oheadbw: { member: 'bandwidth-overhead', isNumber: true, standard: limits.bandwidthOverhead.default },
  streamid: { member: 'stream-id', standard: '' },
  passphrase: { member: 'passphrase' },
  pbkeylen: { member: 'pb-key-len', isNumber: true, standard: 0 },
  maxconn: { member: 'max-connections', isNumber: true, standard: limits.maxConnections.default },
};
const udpOptions: UrlOptions = {
  ttl: { member: 'ttl', isNumber: true },
  localaddr: { member: 'interface' },
  source: { member: 'source' },
};
const { unicast, multicast, reliableUdp, multiTcp } = ndiTransports;
const ndiOptions: UrlOptions = {
  groups: { member: 'groups', standard: '' },
  extraips: { member: 'extra-ips', standard: '' },
  discovery: { member: 'discovery-server' },
  bandwidth: { member: 'low-bandwidth', words: { low: true, high: false }, standard: false },
  transport: { member: 'transport-mode', words: { unicast, multicast, rudp: reliableUdp, 'multi-tcp': multiTcp } },
  group: { member: 'mcast-ip', standard: '' },
  mask: { member: 'mcast-sub-mask', standard: '' },
  ttl: { member: 'mcast-time-to-live', standard: '1' },
};

export function schemeOf(url: string): string {
  return /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase() ?? '';
}

/** FFmpeg writes `udp://@group:port`. A stream ID may contain `#`, so fragments are not recognized. */
const urlParts = /^([a-z][a-z0-9+.-]*):\/\/@?(\[[^\]]*\]|[^:/?]*)(?::([^/?]*))?\/?(?:\?(.*))?$/is;

/**
 * Parses `udp://host:port?ttl=&localaddr=`, `rtp://…` or `srt://host:port?mode=caller&…`. Omitted options get their
 * default; omitted encryption stays as in `kept`.
 */
export function parseStreamUrl(url: string, kept?: SrtStream): SrtStream | UdpStream {
  const [, scheme = '', host = '', port = '', query = ''] = urlParts.exec(url) ?? [];
  const protocol = scheme.toLowerCase();
  if (protocol !== 'srt' && protocol !== 'udp' && protocol !== 'rtp') {
    throw urlError('url', 'not of the form scheme://host:port?options');
  }
  if (!/^\d{1,5}$/.test(port))
    throw port === '' ? urlError('required', 'a port is required') : urlError('port', 'the port is not a number');
  const place = { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
  const params = new URLSearchParams(query);
  if (protocol === 'srt') return parseSrt(place, params, kept);
  return udpStream(protocol, checkedForm(UdpAddress, { ...place, ...readOptions(params, udpOptions) }));
}

function parseSrt(place: object, params: URLSearchParams, kept: SrtStream | undefined): SrtStream {
  takeUnkeptOptions(params);
  const streamId = kept?.isKeyHidden ? {} : { 'stream-id': '' };
  const defaults = { mode: 'caller', latency: limits.latency.default, ...streamId };
  const typed = checkedForm(SrtAddress, { ...defaults, ...place, ...readOptions(params, srtOptions) });
  const reset = { overheadPercent: limits.bandwidthOverhead.default, maxConnections: limits.maxConnections.default };
  return srtStream(typed, kept && { ...kept, ...reset });
}

/** Parses `ndi://MACHINE%20(source)?groups=&extraips=&bandwidth=low&transport=`. */
export function parseNdiUrl(url: string): NdiStream {
  const [, encoded = '', query = ''] = /^ndi:\/\/([^?]*)(?:\?(.*))?$/is.exec(url) ?? [];
  const members = readOptions(new URLSearchParams(query), ndiOptions);
  return ndiStream(checkedForm(NdiAddress, { name: unescaped(encoded) ?? '', ...members }));
}

function checkedForm<T>(form: z.ZodMiniType<T>, members: object): T {
  const checked = form.safeParse(members);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  const rule = issue && /^[a-z]\w*$/i.test(issue.message) ? issue.message : 'choice';
  const member = String(issue?.path[0] ?? '');
  const value = Object.entries(members).find(([name]) => name === member)?.[1];
  const { message, params } = fieldFault(member, rule, { issue: issue ?? {}, value });
  throw urlError(rule, message, params);
}

export interface PullUrl {
  readonly protocol: 'rtsp' | 'http';
  /** Without user name and password. */
  readonly url: string;
  readonly username?: string;
  readonly password?: string;
}

const pullProtocols: Readonly<Record<string, PullUrl['protocol']>> = { rtsp: 'rtsp', http: 'http', https: 'http' };

export const isPullScheme = (scheme: string): boolean => Object.hasOwn(pullProtocols, scheme);

/** Parses `rtsp://host/path`, `http://host/stream.ts` or `https://host/live.m3u8`. */
export function parsePullUrl(text: string): PullUrl {
  const parsed = URL.parse(text);
  const protocol = parsed ? pullProtocols[parsed.protocol.slice(0, -1)] : undefined;
  if (!parsed || protocol === undefined) {
    throw urlError(/^rtsp:/i.test(text) ? 'rtspUrl' : 'httpUrl', 'not of the form scheme://host/path');
  }
  if (!isHost(parsed.hostname.replace(/^\[|\]$/g, '')))
    throw urlError('host', 'the host is neither an IP address nor a host name');
  if (parsed.port === '0') throw urlError('range', 'port 0 is out of range');
  const { username, password } = parsed;
  parsed.username = '';
  parsed.password = '';
  const login = { username: unescaped(username) ?? username, password: unescaped(password) ?? password };
  return { protocol, url: parsed.href, ...(username !== '' && login) };
}

/** Returns the URL form without secrets. */
export function formatStreamUrl(address: StreamAddress): string {
  if ('url' in address) return address.url;
  const label = labelOf(address);
  switch (address.protocol) {
    case 'rtsp':
      return `${label}/${address.key}`;
    case 'ndi':
      return `ndi://${encodeURIComponent(address.name)}${formatOptions(ndiOptions, showNdi(address))}`;
    case 'srt':
      return label + formatOptions(srtOptions, { ...showSrt(address), 'stream-id': address.streamId });
    default: {
      const { ttl, ...rest } = showUdp(address);
      const showsTtl = isMulticast(address.host) || ttl !== limits.ttl.default;
      return label + formatOptions(udpOptions, { ...rest, ...(showsTtl && { ttl }) });
    }
  }
}
