/** Pure functions that parse servers, show them without secrets, compare them, and build output addresses. */
import { limits } from '../../contract/limits.ts';
import type { ServerConfig } from '../../contract/server-fields.ts';
import type { Server } from '../../contract/servers.ts';
import { type ServerStream, serverStreams, serverTypes } from '../../contract/streams.ts';
import { fieldError } from '../../lib/hub-error.ts';
import { movedSecret, refuseMovedSecrets, serverOf } from '../../sources/kept-secrets.ts';
import type { RtmpStream, SrtStream } from '../../sources/stream-address.ts';
import { checkSrt, readStreamConfig, showLogin } from '../../sources/stream-config.ts';
import { showSrt, srtStream } from '../../sources/typed-address.ts';

/** Key of a stream that the server accepts; null if it does not accept the stream. */
type Key = string | null;
interface Streams {
  readonly main: Key;
  readonly sub: Key;
}
/** An address with a key for each stream. */
export type ServerTarget =
  | (Omit<RtmpStream, 'key'> & { keys: Streams })
  | (Omit<SrtStream, 'streamId'> & { keys: Streams });

/**
 * Throws a HubError that names the invalid field. `kept` is the server before a change: absent secrets are kept if the
 * address points to the same host.
 */
export function readServer(config: ServerConfig, kept: ServerTarget | undefined): ServerTarget {
  const address = config.type === serverTypes.rtmp ? readRtmp(config, kept) : readSrt(config, kept);
  const keys = readKeys(config, kept?.protocol === address.protocol ? kept.keys : undefined, {
    isMoved: kept !== undefined && serverOf(kept) !== serverOf(address),
  });
  return { ...address, keys };
}

function readRtmp(config: Extract<ServerConfig, { type: 1 }>, kept: ServerTarget | undefined): Omit<RtmpStream, 'key'> {
  const { url, 'enable-auth': auth, username, password } = config;
  const login = { 'enable-auth': auth, username, password };
  const before = kept?.protocol === 'rtmp' ? { ...kept, key: anyKey } : undefined;
  const { key: _, ...address } = readStreamConfig({ url, key: anyKey, ...login }, 'output', before) as RtmpStream;
  return address;
}

/** The keys of the streams are checked separately. */
const anyKey = 'key';

function readSrt(
  config: Exclude<ServerConfig, { type: 1 }>,
  kept: ServerTarget | undefined,
): Omit<SrtStream, 'streamId'> {
  const isListener = config.type === serverTypes.srtListener;
  const { port, latency = limits.latency.default, passphrase, 'pb-key-len': keyLength } = config;
  const srt = {
    mode: isListener ? ('listener' as const) : ('caller' as const),
    host: config.url ?? '0.0.0.0',
    ...{ port, latency, passphrase, 'pb-key-len': keyLength },
    'bandwidth-overhead': config['bandwidth-overhead'],
    ...(isListener && { 'max-connections': config['max-connections'] }),
  };
  const before = kept?.protocol === 'srt' ? { ...kept, streamId: '' } : undefined;
  const { streamId: _, ...address } = srtStream(srt, before);
  refuseMovedSecrets({ ...address, streamId: '' }, (member) => `config.${member}`);
  checkSrt({ ...address, streamId: '' }, 'output', (member) => `config.${member === 'host' ? 'url' : member}`);
  return address;
}

function readKeys(
  config: ServerConfig,
  kept: Streams | undefined,
  { isMoved }: { readonly isMoved: boolean },
): Streams {
  const read = (stream: ServerStream): Key => {
    const before = kept?.[stream] ?? null;
    const takes = config[`${stream}-stream`] ?? (kept === undefined ? stream === 'main' : before !== null);
    if (!takes) return null;
    const given = config[`${stream}-key`];
    if (given === undefined && isMoved && before) throw movedSecret(`config.${stream}-key`, `${stream} key`);
    return given ?? before ?? '';
  };
  const keys = { main: read('main'), sub: read('sub') };
  if (keys.main === null && keys.sub === null) {
    throw fieldError('config.main-stream', 'required', 'a server receives the main stream, the sub stream, or both');
  }
  const faulty = serverStreams.find((stream) => config.type === serverTypes.rtmp && !isRtmpKey(keys[stream]));
  if (faulty !== undefined) {
    throw fieldError(
      `config.${faulty}-key`,
      keys[faulty] === '' ? 'required' : 'characters',
      'RTMP needs a stream key',
    );
  }
  if (keys.main === keys.sub)
    throw fieldError('config.sub-key', 'unique', 'both streams would have the same destination');
  return keys;
}

function isRtmpKey(key: Key): boolean {
  return key === null || /^\S+$/.test(key);
}

export function typeOf(target: ServerTarget): Server['type'] {
  if (target.protocol === 'rtmp') return serverTypes.rtmp;
  return target.mode === 'listener' ? serverTypes.srtListener : serverTypes.srtCaller;
}

/** Returns the output address for a stream, with a hidden key; undefined if the server does not accept that stream. */
export function addressFor(target: ServerTarget, stream: ServerStream): RtmpStream | SrtStream | undefined {
  const { keys, ...address } = target;
  const key = keys[stream];
  if (key === null) return undefined;
  const hidden = key === '' ? {} : ({ isKeyHidden: true } as const);
  return address.protocol === 'rtmp' ? { ...address, key, ...hidden } : { ...address, streamId: key, ...hidden };
}

/** Destinations that two servers cannot share, each with its `config` member; for a listener, its port. */
export function placesOf(target: ServerTarget): { place: string; member: string }[] {
  if (target.protocol === 'srt' && target.mode === 'listener') return [{ place: `:${target.port}`, member: 'port' }];
  const where = target.protocol === 'rtmp' ? rtmpPlace(target.url) : `${target.host.toLowerCase()}:${target.port}`;
  return serverStreams.flatMap((stream) => {
    const key = target.keys[stream];
    const member = key === '' ? 'url' : `${stream}-key`;
    return key === null ? [] : [{ place: `${target.protocol} ${where} ${key}`, member }];
  });
}

/** Normalized form: the host is not case-sensitive, and the default port is removed. */
function rtmpPlace(url: string): string {
  const [, scheme = '', authority = '', path = ''] = /^(\w+):\/\/([^/]+)(.*)$/.exec(url) ?? [];
  const port = scheme.toLowerCase() === 'rtmps' ? ':443' : ':1935';
  const host = authority.toLowerCase();
  return `${host.endsWith(port) ? host.slice(0, -port.length) : host}${path.replace(/\/+$/, '')}`;
}

/** For lists and logs. */
export function serverLabel(target: ServerTarget): string {
  return target.protocol === 'rtmp' ? target.url : `srt://${target.host}:${target.port}`;
}

export function showServer(
  { id, name, revision }: Pick<Server, 'id' | 'name' | 'revision'>,
  target: ServerTarget,
): Server {
  const { main, sub } = target.keys;
  return {
    ...{ id, name, type: typeOf(target), revision },
    ...(target.protocol === 'rtmp' ? { url: target.url, ...showLogin(target) } : showSrtServer(target)),
    ...{ 'main-stream': main !== null, 'main-key-set': !!main, 'sub-stream': sub !== null, 'sub-key-set': !!sub },
  };
}

function showSrtServer(target: Omit<SrtStream, 'streamId'>) {
  const { host, mode, 'max-connections': maxConnections, ...shown } = showSrt(target);
  return {
    ...{ url: host, ...shown, 'passphrase-set': target.passphrase !== '' },
    ...(mode === 'listener' && { 'max-connections': maxConnections }),
  };
}
