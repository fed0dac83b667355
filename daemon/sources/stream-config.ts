/** Converts the `config` of inputs and outputs from its several API forms to one address, and back without secrets. */
import { isDeepStrictEqual } from 'node:util';
import type { InputConfig } from '../contract/inputs.ts';
import { limits } from '../contract/limits.ts';
import { ndiTransports } from '../contract/ndi.ts';
import type { OutputConfig, ShownConfig } from '../contract/outputs.ts';
import { isIp, isIpv4, isMulticast } from '../contract/rules.ts';
import { splitRtmpUrl } from '../contract/source-url.ts';
import { RtmpTarget, RtspServer } from '../contract/stream-fields.ts';
import { fieldFault } from '../lib/field-fault.ts';
import { fieldError, HubError } from '../lib/hub-error.ts';
import { keptFor, refuseMovedSecrets } from './kept-secrets.ts';
import {
  type HttpStream,
  isRtspServer,
  labelOf,
  type NdiStream,
  type RtmpStream,
  type RtspServerStream,
  type RtspStream,
  type SrtStream,
  type StreamAddress,
  type UdpStream,
} from './stream-address.ts';
import { noBuffer, optionsOf, type StreamRole, showOptions, withOptions, withoutOptions } from './stream-options.ts';
import { formatStreamUrl, isPullScheme, parseNdiUrl, parsePullUrl, parseStreamUrl, schemeOf } from './stream-url.ts';
import { ndiStream, showNdi, showSrt, showUdp, srtStream, udpStream } from './typed-address.ts';
import { joinOptions, type StreamOptions, splitOptions, urlError } from './url-options.ts';

/** Members of inputs and outputs. */
type StreamConfig = InputConfig & Pick<OutputConfig, 'port' | 'max-client-num'>;

/** Default port of RTSP (RFC 2326, section 3.2). */
const rtspPort = 554;
const anyAddress: ReadonlySet<string> = new Set(['0.0.0.0', '::']);
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const controlCharacter = /[\u0000-\u001f\u007f]/;

/** An address and the member of `config` that it was read from. */
interface Read {
  readonly address: StreamAddress;
  readonly form: 'srt' | 'udp' | 'rtp' | 'ndi' | 'port' | 'url';
}

/**
 * Throws a HubError that names each invalid field. `kept` is the address before a change: omitted members are taken
 * from it, secrets only for the same server.
 */
export function readStreamConfig(given: StreamConfig, role: StreamRole, kept?: StreamAddress): StreamAddress {
  const before = kept && withoutOptions(kept);
  const config = withUrlOptions(given, role, kept);
  const url = readUrl(config, role, before);
  const read = choose(readTyped(config, role, before), url && { form: 'url', address: url }, before);
  refuseMovedSecrets(read.address, (member) => secretPath(read.form, member));
  if (read.address.protocol === 'srt') checkSrt(read.address, role, (member) => pathOf(read.form, member));
  if (read.address.protocol === 'udp' || read.address.protocol === 'rtp') checkUdp(read.address, role, read.form);
  if (read.address.protocol === 'ndi') checkNdi(read.address, role, read.form);
  return withOptions(read.address, role, config, kept);
}

/** Moves the options of the URL to the members. The URL of a server has none. */
function withUrlOptions(config: StreamConfig, role: StreamRole, kept: StreamAddress | undefined): StreamConfig {
  if (config.url === undefined) return config;
  const scheme = schemeOf(config.url);
  const given = scheme + config.url.slice(scheme.length);
  if (role === 'output' && /^rt[ms]ps?$/.test(scheme)) return { ...config, url: given };
  // A fragment never reaches a server. Stream IDs and RTMP keys may contain `#`.
  const sent = isPullScheme(scheme) ? given.replace(/#.*$/s, '') : given;
  const { url, options } = splitOptions(scheme, sent);
  const isNoBuffer = options['buffer-duration'] === 0 && config['buffer-duration'] === undefined;
  if (isNoBuffer && role === 'input' && isPullScheme(scheme)) throw noBuffer('config.url');
  return { ...config, ...changedOptions(options, config, kept), url };
}

/** Of an option in both forms, the member counts, except if a response is sent back with a changed URL. */
function changedOptions(inUrl: StreamOptions, config: StreamConfig, kept: StreamAddress | undefined): StreamOptions {
  const stored: Readonly<Record<string, unknown>> = kept ? optionsOf(kept) : {};
  const members: Readonly<Record<string, unknown>> = { ...config };
  const counts = ([name]: [string, unknown]) => members[name] === undefined || members[name] === stored[name];
  return Object.fromEntries(Object.entries(inUrl).filter(counts));
}

/** If a response is sent back with one of its forms changed, that form counts. */
function choose(typed: Read | undefined, url: Read | undefined, kept: StreamAddress | undefined): Read {
  if (!typed && !url) throw fieldError('config.url', 'required', 'required');
  if (!typed) return url as Read;
  if (!url || isDeepStrictEqual(typed.address, url.address) || isDeepStrictEqual(url.address, kept)) return typed;
  if (isDeepStrictEqual(typed.address, kept)) return url;
  throw fieldError('config.url', 'conflict', `conflicts with config.${typed.form}; send one of them`);
}

function readTyped(config: StreamConfig, role: StreamRole, kept: StreamAddress | undefined): Read | undefined {
  const { srt, udp, rtp, ndi } = config;
  const port = role === 'output' ? config.port : undefined;
  const given = Object.entries({ srt, udp, rtp, ndi, port }).flatMap(([form, address]) => (address ? [form] : []));
  if (given.length > 1) throw fieldError(`config.${given[1]}`, 'conflict', `send either ${given.join(' or ')}`);
  if (srt) return { form: 'srt', address: srtStream(srt, kept?.protocol === 'srt' ? kept : undefined) };
  if (udp) return { form: 'udp', address: udpStream('udp', udp, kept?.protocol === 'udp' ? kept : undefined) };
  if (rtp) return { form: 'rtp', address: udpStream('rtp', rtp, kept?.protocol === 'rtp' ? kept : undefined) };
  if (port !== undefined) return { form: 'port', address: readRtspServer({ ...config, port }, kept) };
  if (ndi) return { form: 'ndi', address: ndiStream(ndi, kept?.protocol === 'ndi' ? kept : undefined) };
  return undefined;
}

function readUrl(config: StreamConfig, role: StreamRole, kept: StreamAddress | undefined): StreamAddress | undefined {
  const { url } = config;
  if (url === undefined) return undefined;
  const scheme = schemeOf(url);
  if (role === 'output' && scheme === 'rtsp') return readRtspServer({ ...config, ...splitServerUrl(url) }, kept);
  // Published, but not supported by this hub yet.
  if (scheme === 'rtsps' || (role === 'output' && isPullScheme(scheme))) {
    const message = `${scheme} is not supported as ${role} yet`;
    throw new HubError('unsupported', message, { fields: [{ path: 'config.url', rule: 'unsupported', message }] });
  }
  if (isPullScheme(scheme)) return readPull({ ...config, url }, kept);
  if (/^rtmps?$/.test(scheme)) {
    const split = role === 'input' && config.key === undefined ? splitInputUrl(url, kept) : { url };
    return readRtmp({ ...config, ...split }, kept);
  }
  if (scheme !== 'udp' && scheme !== 'rtp' && scheme !== 'srt' && scheme !== 'ndi') {
    throw urlError('scheme', `begins with none of the supported protocols`);
  }
  return scheme === 'ndi' ? parseNdiUrl(url) : parseStreamUrl(url, kept?.protocol === 'srt' ? kept : undefined);
}

/** The URL of an input ends with the stream; the one that responses contain stands for the stored address. */
function splitInputUrl(url: string, kept: StreamAddress | undefined): { url: string; key?: string } {
  return kept?.protocol === 'rtmp' && url === rtmpInputUrl(kept) ? { url: kept.url } : splitRtmpUrl(url);
}

/** The published URL of an RTMP input; without the key if the URL could not be separated from it again. */
function rtmpInputUrl({ url, key }: RtmpStream): string {
  const whole = `${url}/${key}`;
  const again = splitRtmpUrl(splitOptions('rtmp', whole).url);
  return again.url === url && again.key === key ? whole : url;
}

function readPull(config: InputConfig & { url: string }, before: StreamAddress | undefined): HttpStream | RtspStream {
  const { protocol, url, ...urlLogin } = parsePullUrl(config.url);
  const kept = before?.protocol === protocol && 'url' in before ? before : undefined;
  const given = { ...config, ...(urlLogin.username !== undefined && { ...urlLogin, 'enable-auth': true }) };
  const login = readLogin(given, keptFor(kept, { url }));
  const bufferMs = limits.bufferDuration.default;
  if (protocol === 'http') return { protocol, url, bufferMs, ...login };
  return { protocol, url, tcpFirst: config['tcp-first'] ?? false, bufferMs, ...login };
}

/** An RTSP output listens on all addresses, so only port and path matter: `rtsp://0.0.0.0:8554/key`. */
function splitServerUrl(url: string): { port: number; key: string } {
  const [, host = '', port, key = ''] = /^rtsp:\/\/(\[[^\]]*\]|[^:/?#]*)(?::(\d{1,5}))?\/([^/?#]*)$/i.exec(url) ?? [];
  if (!anyAddress.has(host.replace(/^\[|\]$/g, ''))) {
    throw fieldError('config.url', 'host', 'an RTSP output is a server: rtsp://0.0.0.0:port/key');
  }
  return { port: port === undefined ? rtspPort : Number(port), key };
}

type ServerConfig = Pick<StreamConfig, 'key' | 'max-client-num' | 'enable-auth' | 'username' | 'password'>;

function readRtspServer(config: ServerConfig & { port: number }, before: StreamAddress | undefined): RtspServerStream {
  const kept = before && isRtspServer(before) ? before : undefined;
  const key = config.key ?? kept?.key;
  if (key === undefined) throw fieldError('config.key', 'required', 'required');
  refuseInvalid(RtspServer, { ...config, key });
  const maxClients = config['max-client-num'] ?? kept?.maxClients ?? limits.maxConnections.default;
  return { protocol: 'rtsp', port: config.port, key, maxClients, ...readLogin(config, kept) };
}

type Login = Pick<RtmpStream, 'username' | 'password'>;

/** Without `enable-auth`, user name and password are not stored. */
function readLogin(config: Pick<InputConfig, 'enable-auth' | 'username' | 'password'>, kept: Login | undefined): Login {
  const auth = config['enable-auth'] ?? (kept !== undefined && kept.username !== '');
  const username = auth ? (config.username ?? kept?.username ?? '') : '';
  const password = auth ? (config.password ?? kept?.password ?? '') : '';
  if (auth && username === '') throw fieldError('config.username', 'required', 'required with enable-auth');
  if (auth && password === '') throw fieldError('config.password', 'required', 'required with enable-auth');
  return { username, password };
}

function readRtmp(config: OutputConfig & { url: string }, before: StreamAddress | undefined): RtmpStream {
  const kept = before?.protocol === 'rtmp' ? keptFor(before, config) : undefined;
  const key = config.key ?? kept?.key;
  if (key === undefined) throw fieldError('config.key', 'required', 'required');
  refuseInvalid(RtmpTarget, { ...config, key });
  const isKeyHidden = config.key === undefined && kept?.isKeyHidden === true;
  return { protocol: 'rtmp', url: config.url, key, ...readLogin(config, kept), ...(isKeyHidden && { isKeyHidden }) };
}

function refuseInvalid(schema: typeof RtmpTarget | typeof RtspServer, config: object): void {
  const [issue] = schema.safeParse(config).error?.issues ?? [];
  if (!issue) return;
  const path = `config.${String(issue.path[0])}`;
  const value = Object.entries(config).find(([name]) => name === issue.path[0])?.[1];
  const fault = fieldFault(path, issue.message, { issue, value });
  throw new HubError('invalidArgument', fault.message, { fields: [fault] });
}

/** Key and password are members of `config` in every form, the secrets of SRT members of the form. */
const secretPath = (form: Read['form'], member: string): string => {
  if (member === 'key' || member === 'password') return `config.${member}`;
  return pathOf(form, member === 'streamId' ? 'stream-id' : member);
};

const pathOf = (form: Read['form'], member: string): string =>
  form === 'url' || form === 'port' ? `config.${form}` : `config.${form}.${member}`;

/** `path` returns the request path of a member. */
export function checkSrt(address: SrtStream, role: StreamRole, path: (member: string) => string): void {
  if (address.mode === 'caller' && anyAddress.has(address.host)) {
    throw fieldError(path('host'), 'host', 'a caller needs the address of its peer');
  }
  if (address.mode === 'listener' && !isLocalAddress(address.host)) {
    throw fieldError(path('host'), 'host', 'a listener needs an IP address of this machine, or 0.0.0.0');
  }
  if (!mayTakeSeveral(address, role) && address.maxConnections !== limits.maxConnections.default) {
    throw fieldError(path('max-connections'), 'range', 'only an output that listens takes several');
  }
  if (controlCharacter.test(address.streamId)) {
    throw fieldError(path('stream-id'), 'characters', 'a stream id holds no control characters');
  }
  if (address.keyLength > 0 && address.passphrase === '') {
    throw fieldError(path('passphrase'), 'passphraseNeeded', 'encryption needs a passphrase');
  }
}

/** Whether the address is suitable to bind to, as far as can be told without inspecting the machine. */
function isLocalAddress(host: string): boolean {
  return host.includes(':') ? !/^ff/i.test(host) : isIpv4(host) && !isMulticast(host);
}

function mayTakeSeveral({ mode }: SrtStream, role: StreamRole): boolean {
  return mode === 'listener' && role === 'output';
}

function isOpen({ mode, streamId, passphrase }: SrtStream): boolean {
  return mode === 'listener' && streamId === '' && passphrase === '';
}

function checkUdp(address: UdpStream, role: StreamRole, form: Read['form']): void {
  if (role === 'output' && anyAddress.has(address.host)) {
    throw fieldError(pathOf(form, 'host'), 'host', 'an output needs the address of its destination');
  }
  const { interface: own, source } = address;
  for (const [member, other] of Object.entries({ interface: own, source })) {
    if (!isIp(other) || !isIp(address.host) || isIpv4(other) === isIpv4(address.host)) continue;
    throw fieldError(pathOf(form, member), 'sameFamily', `the ${member} and the host are IPv4, or both are IPv6`);
  }
  if (address.source !== '' && role === 'output') {
    throw fieldError(pathOf(form, 'source'), 'sourceOfInput', 'only an input has a source');
  }
}

/** The runtime replaces these by spaces, so receivers would not find the source by the name that was entered. */
const notInNdiNames = /[\\/:*?"<>|]/;

function checkNdi(address: NdiStream, role: StreamRole, form: Read['form']): void {
  const needsMulticast = address.multicast && address.transport !== ndiTransports.multicast;
  if (needsMulticast) throw fieldError(pathOf(form, 'transport-mode'), 'multicast', 'only multicast has a group');
  if (role === 'input') {
    if (address.multicast) throw fieldError(pathOf(form, 'mcast-ip'), 'unsupported', 'only an output has it');
    return;
  }
  if (notInNdiNames.test(address.name)) {
    throw fieldError(pathOf(form, 'name'), 'characters', 'the name of a source holds none of \\ / : * ? " < > |');
  }
  const inputOnly = address.lowBandwidth ? 'low-bandwidth' : address.extraIps === '' ? undefined : 'extra-ips';
  if (inputOnly) throw fieldError(pathOf(form, inputOnly), 'unsupported', 'only an input has it');
}

export function showLogin({ username, password }: Login) {
  const auth = username !== '';
  return { 'enable-auth': auth, ...(auth && { username, 'password-set': password !== '' }) };
}

/** The user that a response is for. */
export interface Reader {
  readonly mayEdit: boolean;
}

/** The configuration in a response: the URL and the typed members, with flags instead of secrets. */
export function showStreamConfig(address: StreamAddress, role: StreamRole): ShownConfig {
  return showStreamConfigTo({ mayEdit: true }, address, role);
}

/** The same, with flags instead of stream keys, stream IDs and the query of a URL for users who may not edit it. */
export function showStreamConfigTo({ mayEdit }: Reader, address: StreamAddress, role: StreamRole): ShownConfig {
  const config = { ...showAddress(address, role), ...showOptions(address) };
  const isKeyHidden = 'isKeyHidden' in address && address.isKeyHidden;
  if (!mayEdit || isKeyHidden) return withoutKeys(config, address);
  if (role === 'output') return config;
  return { ...config, url: joinOptions(schemeOf(config.url), config.url, optionsOf(address)) };
}

function withoutKeys({ key, srt, ...config }: ShownConfig, address: StreamAddress): ShownConfig {
  if (address.protocol === 'rtmp') return { ...config, url: address.url, 'key-set': address.key !== '' };
  if (srt && address.protocol === 'srt') {
    const { 'stream-id': _, ...rest } = srt;
    const url = formatStreamUrl({ ...address, streamId: '' });
    return { ...config, url, srt: { ...rest, 'stream-id-set': address.streamId !== '' } };
  }
  if ('url' in address) return { ...config, url: labelOf(address), 'url-query-set': address.url.includes('?') };
  return { ...config, ...(key !== undefined && { key }) };
}

function showAddress(address: StreamAddress, role: StreamRole): ShownConfig {
  const url = formatStreamUrl(address);
  if (address.protocol === 'rtmp') {
    const whole = role === 'input' ? rtmpInputUrl(address) : url;
    // Published for inputs; an output has its own members.
    if (whole !== url) return { type: 1, url: whole, ...showLogin(address) };
    return { ...(role === 'input' && { type: 1 as const }), url, key: address.key, ...showLogin(address) };
  }
  if (isRtspServer(address)) {
    const { port, key, maxClients } = address;
    return { type: 0, url, port, key, 'max-client-num': maxClients, ...showLogin(address) };
  }
  if (address.protocol === 'http' || address.protocol === 'rtsp') {
    const tcpFirst = address.protocol === 'rtsp' && { 'tcp-first': address.tcpFirst };
    return { type: 1, url, ...tcpFirst, ...showLogin(address) };
  }
  if (address.protocol === 'ndi') return { type: 1, url, ndi: showNdi(address) };
  if (address.protocol !== 'srt') return { type: 1, url, [address.protocol]: showUdp(address) };
  const { 'max-connections': maxConnections, ...shown } = showSrt(address);
  const srt = {
    ...shown,
    'stream-id': address.streamId,
    'passphrase-set': address.passphrase !== '',
    ...(isOpen(address) && { open: true as const }),
    ...(mayTakeSeveral(address, role) && { 'max-connections': maxConnections }),
  };
  return { type: 1, url, srt };
}
