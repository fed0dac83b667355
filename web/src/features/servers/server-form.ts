/** The form of a server: its fields, their conversion to the API configuration, and their checks. */
import { limits } from '../../../../daemon/contract/limits.ts';
import { SourceName } from '../../../../daemon/contract/rules.ts';
import {
  RtmpServer,
  type ServerConfig,
  SrtCallerServer,
  SrtListenerServer,
} from '../../../../daemon/contract/server-fields.ts';
import type { Server } from '../../../../daemon/contract/servers.ts';
import { type ServerStream, serverStreams, serverTypes } from '../../../../daemon/contract/streams.ts';
import { numberOf } from '../../shared/sources/source-values.ts';
import { type FieldFaults, faultAt, faultsOf } from '../../ui/form/schema-form.ts';

/** Numbers, and the selected type, are kept as text. */
export interface ServerValues {
  readonly name: string;
  readonly type: '1' | '2' | '3';
  /** RTMP only. */
  readonly url: string;
  readonly auth: boolean;
  readonly user: string;
  readonly password: string;
  /** SRT only. */
  readonly host: string;
  readonly port: string;
  readonly latency: string;
  readonly overhead: string;
  readonly keyLength: string;
  readonly passphrase: string;
  readonly maxConnections: string;
  readonly mainStream: boolean;
  readonly mainKey: string;
  readonly subStream: boolean;
  readonly subKey: string;
}

/** `server` is undefined for a new one. Stored secrets are returned empty, which leaves them unchanged. */
export function serverValues(server: Server | undefined): ServerValues {
  const type = server?.type ?? serverTypes.rtmp;
  const isRtmp = type === serverTypes.rtmp;
  const text = (value: number | undefined, fallback: number | '') => String(value ?? fallback);
  return {
    name: server?.name ?? '',
    type: String(type) as ServerValues['type'],
    url: isRtmp ? (server?.url ?? '') : '',
    auth: server?.['enable-auth'] ?? false,
    user: server?.username ?? '',
    password: '',
    host: isRtmp ? '' : (server?.url ?? ''),
    port: text(server?.port, ''),
    latency: text(server?.latency, limits.latency.default),
    overhead: String(server?.['bandwidth-overhead'] || ''),
    keyLength: text(server?.['pb-key-len'], 0),
    passphrase: '',
    maxConnections: text(server?.['max-connections'], limits.maxConnections.default),
    mainStream: server?.['main-stream'] ?? true,
    mainKey: '',
    subStream: server?.['sub-stream'] ?? false,
    subKey: '',
  };
}

/** The original of a copy: two servers with the same keys would accept the same stream at the same address. */
export function withoutKeys(server: Server): Server {
  return { ...server, 'main-key-set': false, 'sub-key-set': false };
}

/** An empty key of a stored server is omitted and thus unchanged. */
function streamsOf({ mainStream, mainKey, subStream, subKey }: ServerValues, isNew: boolean) {
  return {
    'main-stream': mainStream,
    ...(mainStream && (isNew || mainKey !== '') && { 'main-key': mainKey }),
    'sub-stream': subStream,
    ...(subStream && (isNew || subKey !== '') && { 'sub-key': subKey }),
  };
}

function srtOf(values: ServerValues) {
  const keyLength = Number(values.keyLength) as 0 | 16 | 24 | 32;
  return {
    port: numberOf(values.port),
    latency: numberOf(values.latency),
    'bandwidth-overhead': numberOf(values.overhead.trim() || '0'),
    'pb-key-len': keyLength,
    ...(keyLength !== 0 && values.passphrase !== '' && { passphrase: values.passphrase }),
  };
}

/** `isNew`: nothing is stored for this type, so an empty field cannot mean "unchanged". */
export function serverConfig(values: ServerValues, isNew: boolean): ServerConfig {
  const streams = streamsOf(values, isNew);
  switch (values.type) {
    case '1': {
      const { auth, user, password } = values;
      const login = { 'enable-auth': auth, ...(auth && { username: user, ...(password !== '' && { password }) }) };
      return { type: serverTypes.rtmp, url: values.url.trim(), ...login, ...streams };
    }
    case '2':
      return { type: serverTypes.srtCaller, url: values.host.trim(), ...srtOf(values), ...streams };
    case '3': {
      const url = values.host.trim() === '' ? '0.0.0.0' : values.host.trim();
      const room = { 'max-connections': numberOf(values.maxConnections) };
      return { type: serverTypes.srtListener, url, ...srtOf(values), ...room, ...streams };
    }
  }
}

const fields: Readonly<Record<string, keyof ServerValues>> = {
  port: 'port',
  latency: 'latency',
  'bandwidth-overhead': 'overhead',
  'pb-key-len': 'keyLength',
  passphrase: 'passphrase',
  'max-connections': 'maxConnections',
  username: 'user',
  password: 'password',
  'main-stream': 'mainStream',
  'main-key': 'mainKey',
  'sub-stream': 'subStream',
  'sub-key': 'subKey',
};

export function serverField(path: string, { type }: Pick<ServerValues, 'type'>): string {
  const member = path.replace(/^config\./, '');
  if (member === 'url') return type === '1' ? 'url' : 'host';
  return fields[member] ?? path;
}

const schemas = { 1: RtmpServer, 2: SrtCallerServer, 3: SrtListenerServer } as const;

/** `stored`: the server before the change; its secrets need not be typed again. */
export function checkServer(values: ServerValues, stored: Server | undefined): FieldFaults {
  const kept = String(stored?.type) === values.type ? stored : undefined;
  const faults: FieldFaults = faultAt('name', SourceName, values.name);
  for (const [member, rule] of Object.entries(
    faultsOf(schemas[values.type], serverConfig(values, kept === undefined)),
  )) {
    faults[serverField(member, values)] ??= rule;
  }
  if (!values.mainStream && !values.subStream) faults.mainStream ??= 'required';
  const isSet = { main: kept?.['main-key-set'], sub: kept?.['sub-key-set'] };
  for (const stream of serverStreams) {
    const isMissing = values[`${stream}Stream`] && values[`${stream}Key`] === '' && !isSet[stream];
    if (values.type === '1' && isMissing) faults[`${stream}Key`] ??= 'required';
  }
  const bothTyped = values.mainStream && values.subStream && values.mainKey !== '';
  if (bothTyped && values.mainKey === values.subKey) faults.subKey ??= 'unique';
  if (values.type === '1' && values.auth) {
    if (values.user === '') faults.user ??= 'required';
    if (values.password === '' && kept?.['password-set'] !== true) faults.password ??= 'required';
  }
  if (
    values.type !== '1' &&
    values.keyLength !== '0' &&
    values.passphrase === '' &&
    kept?.['passphrase-set'] !== true
  ) {
    faults.passphrase ??= 'passphraseNeeded';
  }
  return faults;
}

const dots = '••••••';

/** Destination of each stream as a common URL; undefined while parts are missing. Secrets are shown as bullets. */
export function serverPreview(values: ServerValues, stored: Server | undefined): string[] | undefined {
  const streams = serverStreams.filter((stream) => values[`${stream}Stream`]);
  if (streams.length === 0) return undefined;
  const hasKey = (stream: ServerStream) => values[`${stream}Key`] !== '' || stored?.[`${stream}-key-set`] === true;
  if (values.type === '1') {
    const url = values.url.trim().replace(/\/$/, '');
    return url === '' ? undefined : once(streams.map((stream) => `${url}/${hasKey(stream) ? dots : ''}`));
  }
  const { type, host, port, latency, keyLength } = values;
  const place = host.trim() === '' && type === '3' ? '0.0.0.0' : host.trim();
  if (place === '' || port.trim() === '') return undefined;
  const mode = type === '3' ? 'listener' : 'caller';
  const secret = keyLength === '0' ? '' : `&pbkeylen=${keyLength}&passphrase=${dots}`;
  const address = `srt://${place.includes(':') ? `[${place}]` : place}:${port.trim()}?mode=${mode}&latency=${latency}`;
  return once(streams.map((stream) => `${address}${hasKey(stream) ? `&streamid=${dots}` : ''}${secret}`));
}

/** Removes duplicates: masked keys look alike. */
function once(lines: string[]): string[] {
  return [...new Set(lines)];
}

/** Address for lists, without keys and options. */
export function serverAddress({ type, url, port = 0 }: Server): string {
  return type === serverTypes.rtmp ? url : `srt://${url.includes(':') ? `[${url}]` : url}:${port}`;
}
