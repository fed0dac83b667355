/** Devices that are streams: what was entered, as it is stored and shown. Pure. */
import { limits } from '../contract/limits.ts';
import { fieldError, HubError } from '../lib/hub-error.ts';
import { serverOf } from './kept-secrets.ts';
import {
  type HttpStream,
  isRtspServer,
  type RtmpStream,
  type RtspStream,
  type SrtStream,
  type StreamAddress,
} from './stream-address.ts';
import { readStreamConfig, showStreamConfigTo } from './stream-config.ts';

/** What a device of this kind can be; others wait for a sender, or are found by other means. */
export type PulledSource = SrtStream | RtmpStream | RtspStream | HttpStream;

/** How the hub gets the stream of a device, and its picture. */
export interface StreamOfDevice {
  readonly source: PulledSource;
  /** http or https URL; '' for none. */
  readonly snapshot: string;
}

/** Absent members are as before, secrets only for the same server. */
export interface StreamEntry {
  readonly address?: string | undefined;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly snapshot?: string | undefined;
}

/** The channels of the engine know inputs by their ids; those of devices are above the ids of all stored inputs. */
const firstInputId = 0x1000_0000;

export const inputIdOf = (deviceId: number): number => firstInputId + deviceId;

/** Throws a `HubError` that names the field. */
export function readStreamEntry(entry: StreamEntry, kept?: StreamOfDevice): StreamOfDevice {
  const source = readSource(entry, kept);
  const before = kept === undefined || serverOf(kept.source) !== serverOf(source) ? '' : kept.snapshot;
  return { source, snapshot: entry.snapshot === undefined ? before : snapshotUrl(entry.snapshot, source, before) };
}

function readSource({ address, user, password }: StreamEntry, kept: StreamOfDevice | undefined): PulledSource {
  const url = address?.trim() ?? (kept && shownSource(kept.source, true));
  if (url === undefined || url === '') throw fieldError('address', 'required', 'required');
  const login = user === undefined && password === undefined ? {} : loginOf({ user, password }, kept);
  try {
    const source = readStreamConfig({ url, ...login }, 'input', kept?.source);
    if (!isPulled(source))
      throw fieldError('address', 'deviceStream', 'must be an RTSP, RTMP or HTTP address, or SRT in caller mode');
    if (user && !('username' in source)) throw fieldError('user', 'unsupported', 'SRT has no user; use its passphrase');
    return source;
  } catch (error) {
    throw error instanceof HubError ? ofEntry(error) : error;
  }
}

function isPulled(source: StreamAddress): source is PulledSource {
  if (source.protocol === 'srt') return source.mode === 'caller';
  return (
    source.protocol === 'rtmp' || source.protocol === 'http' || (source.protocol === 'rtsp' && !isRtspServer(source))
  );
}

/** An empty user means no login. A password alone belongs to the stored user. */
function loginOf({ user, password }: StreamEntry, kept: StreamOfDevice | undefined) {
  const before = kept && 'username' in kept.source ? kept.source.username : '';
  const name = user ?? before;
  if (name === '' && !password) return user === undefined ? {} : { 'enable-auth': false };
  return { 'enable-auth': true, username: name, ...(password !== undefined && { password }) };
}

const fieldNames: Readonly<Record<string, string>> = { 'config.username': 'user', 'config.password': 'password' };

/** Names the fields as calls of devices do. */
function ofEntry(error: HubError): HubError {
  const [fault] = error.fields ?? [];
  if (fault === undefined || !fault.path.startsWith('config')) return error;
  const path = fieldNames[fault.path] ?? 'address';
  return new HubError(error.result, `${path}: ${fault.message}`, { fields: [{ ...fault, path }] });
}

/** `before`: the stored one, of which a user may not see the query. */
function snapshotUrl(text: string, source: PulledSource, before: string): string {
  if (text === '' || text === withoutQuery(before)) return text === '' ? '' : before;
  const host = hostOf(source);
  const base = source.protocol === 'http' ? source.url : `http://${host}/`;
  const url = URL.parse(text, base);
  if (url === null || !/^https?:$/.test(url.protocol) || url.href.length > limits.url.max)
    throw fieldError('snapshot', 'snapshot', 'must be a path or an HTTP address');
  if (url.hostname.toLowerCase() !== host.toLowerCase() || url.username !== '' || url.password !== '')
    throw fieldError('snapshot', 'snapshotHost', 'must be on the host of the stream, without user and password');
  url.hash = '';
  return url.href;
}

const withoutQuery = (url: string) => url.replace(/\?.*$/s, '');

/** As in a URL: IPv6 addresses in brackets. */
export function hostOf(source: PulledSource): string {
  if ('url' in source) return URL.parse(source.url)?.hostname ?? '';
  return source.host.includes(':') ? `[${source.host}]` : source.host;
}

/** The same stream at another host, which is a name or an address without brackets. */
export function atHost<T extends PulledSource>(source: T, host: string): T {
  if (!('url' in source)) return { ...source, host };
  const url = URL.parse(source.url);
  if (url === null) return source;
  url.hostname = host.includes(':') ? `[${host}]` : host;
  return { ...source, url: url.href };
}

/** The URL without password and passphrase; for others than editors without stream key, stream id and query, too. */
export function shownSource(source: PulledSource, mayEdit: boolean): string {
  return showStreamConfigTo({ mayEdit }, source, 'input').url;
}

export function shownSnapshot(snapshot: string, mayEdit: boolean): string {
  return mayEdit ? snapshot : withoutQuery(snapshot);
}

/** Whether there is a password or a passphrase. */
export function hasSecret(source: PulledSource): boolean {
  return ('password' in source && source.password !== '') || ('passphrase' in source && source.passphrase !== '');
}

export const userOf = (source: PulledSource): string => ('username' in source ? source.username : '');
