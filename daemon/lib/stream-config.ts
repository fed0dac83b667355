/** Converts the `config` of inputs and outputs from its several API forms to one address, and back without secrets. */
import { isDeepStrictEqual } from 'node:util';
import type { InputConfig } from '../contract/inputs.ts';
import { limits } from '../contract/limits.ts';
import { ndiTransports } from '../contract/ndi.ts';
import type { OutputConfig, ShownConfig } from '../contract/outputs.ts';
import type { FieldFault } from '../contract/result.ts';
import { isIp, isIpv4, isMulticast } from '../contract/rules.ts';
import { RtmpTarget, RtspServer } from '../contract/stream-fields.ts';
import { fieldError, HubError } from './hub-error.ts';
import { type InputOptions, takeOptions } from './input-options.ts';
import { keptFor, refuseMovedSecrets } from './kept-secrets.ts';
import { type NdiStream, ndiStream, parseNdiUrl, showNdi } from './ndi-address.ts';
import { isPullScheme, parsePullUrl } from './pull-url.ts';
import {
  formatStreamUrl,
  isRtspServer,
  labelOf,
  type PullStream,
  parseStreamUrl,
  type RtmpStream,
  type RtspServerStream,
  type SrtStream,
  type StreamAddress,
  schemeOf,
  srtStream,
  type UdpStream,
  udpStream,
} from './stream-address.ts';
import { type StreamRole, showOptions, withOptions, withoutOptions } from './stream-options.ts';

export type { StreamRole };

/** Members of inputs and outputs. */
type StreamConfig = InputConfig & Pick<OutputConfig, 'port' | 'max-client-num'>;

/** Published protocols that this hub does not support yet. */
const laterSchemes: ReadonlySet<string> = new Set(['rtsps']);
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
interface ReadUrl extends Read {
  readonly options?: Partial<InputOptions> | undefined;
}

/**
 * Throws a HubError that names each invalid field. `kept` is the address before a change: omitted members are taken
 * from it, secrets only for the same server.
 */
export function readStreamConfig(config: StreamConfig, role: StreamRole, kept?: StreamAddress): StreamAddress {
  const before = kept && withoutOptions(kept);
  const url = readUrl(config, role, before);
  const read = choose(readTyped(config, role, before), url, before);
  refuseMovedSecrets(read.address, (member) => secretPath(read.form, member));
  if (read.address.protocol === 'srt') checkSrt(read.address, role, (member) => pathOf(read.form, member));
  if (read.address.protocol === 'udp' || read.address.protocol === 'rtp') checkUdp(read.address, role, read.form);
  if (read.address.protocol === 'ndi') checkNdi(read.address, role, read.form);
  return withOptions(read.address, { role, config, url: url?.options ?? {}, kept });
}

/** If a response is sent back with one of its forms changed, that form counts. */
function choose(typed: Read | undefined, url: Read | undefined, kept: StreamAddress | undefined): Read {
  if (!typed && !url) throw fieldError('config.url', 'required', 'required');
  if (!typed) return url as Read;
  if (!url || isDeepStrictEqual(typed.address, url.address) || isDeepStrictEqual(url.address, kept)) return typed;
  if (isDeepStrictEqual(typed.address, kept)) return url;
  throw fieldError('config.url', 'conflict', `says something else than config.${typed.form}; give one of them`);
}

function readTyped(config: StreamConfig, role: StreamRole, kept: StreamAddress | undefined): Read | undefined {
  const { srt, udp, rtp, ndi } = config;
  const port = role === 'output' ? config.port : undefined;
  const given = Object.entries({ srt, udp, rtp, ndi, port }).flatMap(([form, address]) => (address ? [form] : []));
  if (given.length > 1) throw fieldError(`config.${given[1]}`, 'conflict', `give either ${given.join(' or ')}`);
  if (srt) return { form: 'srt', address: srtStream(srt, kept?.protocol === 'srt' ? kept : undefined) };
  if (udp) return { form: 'udp', address: udpStream('udp', udp, kept?.protocol === 'udp' ? kept : undefined) };
  if (rtp) return { form: 'rtp', address: udpStream('rtp', rtp, kept?.protocol === 'rtp' ? kept : undefined) };
  if (port !== undefined) return { form: 'port', address: readRtspServer({ ...config, port }, kept) };
  if (ndi) return { form: 'ndi', address: ndiStream(ndi, kept?.protocol === 'ndi' ? kept : undefined) };
  return undefined;
}

function readUrl(config: StreamConfig, role: StreamRole, kept: StreamAddress | undefined): ReadUrl | undefined {
  const { url } = config;
  if (url === undefined) return undefined;
  const scheme = schemeOf(url);
  if (role === 'output' && scheme === 'rtsp') {
    return { form: 'url', address: readRtspServer({ ...config, ...splitServerUrl(url) }, kept) };
  }
  if (laterSchemes.has(scheme) || (role === 'output' && isPullScheme(scheme))) {
    throw notSupported('config.url', `${scheme} is not supported as ${role} yet`);
  }
  if (isPullScheme(scheme)) return { form: 'url', ...readPull({ ...config, url }, kept) };
  if (/^rtmps?$/.test(scheme)) {
    const { bare, options } = role === 'input' ? takeRtmpOptions(url) : { bare: url };
    const split = role === 'input' && config.key === undefined ? splitKey(bare) : { url: bare };
    return { form: 'url', address: readRtmp({ ...config, ...split }, kept), options };
  }
  if (scheme !== 'udp' && scheme !== 'rtp' && scheme !== 'srt' && scheme !== 'ndi') {
    throw fieldError('config.url', 'scheme', `begins with none of the supported protocols`);
  }
  const keptSrt = kept?.protocol === 'srt' ? kept : undefined;
  const parsed = scheme === 'ndi' ? parseNdiUrl(url) : parseStreamUrl(url, keptSrt);
  if ('fault' in parsed) throw fieldError('config.url', parsed.fault.rule, parsed.fault.detail);
  return { form: 'url', ...parsed };
}

/** The query belongs to the stream name, except for our options. */
function takeRtmpOptions(url: string): { readonly bare: string; readonly options?: Partial<InputOptions> } {
  const [, bare = url, query] = /^([^?]*)\?(.*)$/s.exec(url) ?? [];
  if (!query?.includes('mw-')) return { bare: url };
  const params = new URLSearchParams(query);
  const options = takeOptions(params, ['mw-buffer-duration']);
  if ('fault' in options) throw fieldError('config.url', options.fault.rule, options.fault.detail);
  if (Object.keys(options).length === 0) return { bare: url };
  return { bare: params.size > 0 ? `${bare}?${params}` : bare, options };
}

/** The URL of an input ends with the stream name; the rest identifies the application. */
function splitKey(url: string): { url: string; key?: string } {
  const [, app, key] = /^(\w+:\/\/[^/]+\/.+)\/([^/]+)$/.exec(url) ?? [];
  return app === undefined || key === undefined ? { url } : { url: app, key };
}

interface ReadPull {
  readonly address: PullStream;
  readonly options?: Partial<InputOptions> | undefined;
}

function readPull(config: InputConfig & { url: string }, before: StreamAddress | undefined): ReadPull {
  const read = parsePullUrl(config.url);
  if ('fault' in read) throw fieldError('config.url', read.fault.rule, read.fault.detail);
  const kept = before?.protocol === read.protocol && 'url' in before ? before : undefined;
  const given = { ...config, ...(read.username !== undefined && { ...read, 'enable-auth': true }) };
  const login = readLogin(given, keptFor(kept, read));
  const bufferMs =
    config['buffer-duration'] ?? read.options?.bufferMs ?? kept?.bufferMs ?? limits.bufferDuration.default;
  if (bufferMs < limits.bufferDuration.min) {
    const path = config['buffer-duration'] === undefined ? 'config.url' : 'config.buffer-duration';
    throw fieldError(path, 'range', 'the buffer of a pulled input is at least 1 ms');
  }
  if (read.protocol === 'http') {
    return { address: { protocol: 'http', url: read.url, bufferMs, ...login }, options: read.options };
  }
  const keptFirst = kept?.protocol === 'rtsp' ? kept.tcpFirst : undefined;
  const tcpFirst = config['tcp-first'] ?? read.tcpFirst ?? keptFirst ?? true;
  return { address: { protocol: 'rtsp', url: read.url, tcpFirst, bufferMs, ...login } };
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
  const checked = RtspServer.safeParse({ ...config, key });
  if (!checked.success) {
    const [issue] = checked.error.issues;
    throw fieldError(`config.${String(issue?.path[0] ?? 'key')}`, issue?.message ?? 'characters', 'not valid');
  }
  const maxClients = config['max-client-num'] ?? kept?.maxClients ?? limits.maxConnections.default;
  return { protocol: 'rtsp', port: config.port, key, maxClients, ...readLogin(config, kept) };
}

type Login = Pick<PullStream, 'auth' | 'username' | 'password'>;

/** Without `enable-auth`, user name and password are not stored. */
function readLogin(config: Pick<InputConfig, 'enable-auth' | 'username' | 'password'>, kept: Login | undefined): Login {
  const auth = config['enable-auth'] ?? kept?.auth ?? false;
  const username = auth ? (config.username ?? kept?.username ?? '') : '';
  const password = auth ? (config.password ?? kept?.password ?? '') : '';
  if (auth && username === '') throw fieldError('config.username', 'required', 'required with enable-auth');
  if (auth && password === '') throw fieldError('config.password', 'required', 'required with enable-auth');
  return { auth, username, password };
}

function readRtmp(config: OutputConfig & { url: string }, before: StreamAddress | undefined): RtmpStream {
  const kept = before?.protocol === 'rtmp' ? keptFor(before, config) : undefined;
  const key = config.key ?? kept?.key;
  if (key === undefined) throw fieldError('config.key', 'required', 'required');
  const checked = RtmpTarget.safeParse({ ...config, key });
  if (!checked.success) {
    const [issue] = checked.error.issues;
    throw fieldError(`config.${String(issue?.path[0] ?? 'url')}`, issue?.message ?? 'rtmpUrl', 'not valid');
  }
  const isKeyHidden = config.key === undefined && kept?.isKeyHidden === true;
  return { protocol: 'rtmp', url: config.url, key, ...readLogin(config, kept), ...(isKeyHidden && { isKeyHidden }) };
}

/** Key and password are members of `config` in every form, the secrets of SRT members of the form. */
const secretPath = (form: Read['form'], member: string): string => {
  if (member === 'key' || member === 'password') return `config.${member}`;
  return pathOf(form, member === 'streamId' ? 'stream-id' : member);
};

const pathOf = (form: Read['form'], member: string): string =>
  form === 'url' || form === 'port' ? `config.${form}` : `config.${form}.${member}`;

function notSupported(path: string, message: string): HubError {
  const fields: FieldFault[] = [{ path, rule: 'unsupported', message }];
  return new HubError('unsupported', message, { fields });
}

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

function showLogin({ auth, username, password }: Login) {
  return { 'enable-auth': auth, ...(auth && { username, 'password-set': password !== '' }) };
}

/** The configuration in a response: the URL and the typed members, with flags instead of secrets. */
export function showStreamConfig(address: StreamAddress, role: StreamRole): ShownConfig {
  const isKeyHidden = 'isKeyHidden' in address && address.isKeyHidden;
  return isKeyHidden ? showWithoutSecrets(address, role) : showWhole(address, role);
}

function showWhole(address: StreamAddress, role: StreamRole): ShownConfig {
  return { ...showAddress(address, role), ...showOptions(address) };
}

/** The user that a response is for. */
export interface Reader {
  readonly mayEdit: boolean;
}

/** The same, with flags instead of stream keys, stream IDs and the query of a URL for users who may not edit it. */
export function showStreamConfigTo({ mayEdit }: Reader, address: StreamAddress, role: StreamRole): ShownConfig {
  return mayEdit ? showStreamConfig(address, role) : showWithoutSecrets(address, role);
}

function showWithoutSecrets(address: StreamAddress, role: StreamRole): ShownConfig {
  if (address.protocol === 'rtmp') {
    const { key, ...config } = showWhole(address, role);
    return { ...config, 'key-set': address.key !== '' };
  }
  if (address.protocol === 'srt') {
    const { srt, ...config } = showWhole(address, role);
    const { 'stream-id': _, ...rest } = { ...srt } as NonNullable<typeof srt>;
    const url = formatStreamUrl({ ...address, streamId: '' });
    return { ...config, url, srt: { ...rest, 'stream-id-set': address.streamId !== '' } };
  }
  const config = showWhole(address, role);
  return 'url' in address ? { ...config, url: labelOf(address), 'url-query-set': address.url.includes('?') } : config;
}

function showAddress(address: StreamAddress, role: StreamRole): ShownConfig {
  const url = formatStreamUrl(address);
  if (address.protocol === 'rtmp') {
    // Published for inputs; an output has its own members.
    return { ...(role === 'input' && { type: 1 as const }), url, key: address.key, ...showLogin(address) };
  }
  if (isRtspServer(address)) {
    const { port, key, maxClients } = address;
    return { type: 0, url, port, key, 'max-client-num': maxClients, ...showLogin(address) };
  }
  if (address.protocol === 'http' || address.protocol === 'rtsp') {
    const tcpFirst = address.protocol === 'rtsp' && { 'tcp-first': address.tcpFirst };
    return { type: 1, url, 'buffer-duration': address.bufferMs, ...tcpFirst, ...showLogin(address) };
  }
  if (address.protocol === 'ndi') return { type: 1, url, ndi: showNdi(address) };
  const { host, port } = address;
  if (address.protocol === 'udp' || address.protocol === 'rtp') {
    const { ttl, interface: local, source } = address;
    const typed = { host, port, ttl, ...(local !== '' && { interface: local }), ...(source !== '' && { source }) };
    return { type: 1, url, [address.protocol]: typed };
  }
  const srt = {
    mode: address.mode,
    host,
    port,
    latency: address.latency,
    'bandwidth-overhead': address.overhead,
    'stream-id': address.streamId,
    'pb-key-len': address.keyLength,
    'passphrase-set': address.passphrase !== '',
    ...(isOpen(address) && { open: true as const }),
    ...(mayTakeSeveral(address, role) && { 'max-connections': address.maxConnections }),
  };
  return { type: 1, url, srt };
}
