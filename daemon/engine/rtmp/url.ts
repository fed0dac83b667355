/** RTMP addresses: `rtmp[s]://[user:password@]host[:port]/app[/instance]`, the stream key apart or as last segment. */
import { unescaped } from '../../lib/bytes.ts';
import { defaultRtmpPort, defaultRtmpsPort } from './protocol.ts';

export interface RtmpTarget {
  readonly isSecure: boolean;
  /** Name or address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** Application with instance and query, as sent in `connect`. */
  readonly app: string;
  /** Stream key; a secret. */
  readonly key: string;
  readonly username: string;
  readonly password: string;
}

/**
 * Returns undefined if this is not an RTMP address. With an empty `key`, the last path segment is the key: most
 * services show their addresses in two parts, some in one.
 */
export function parseRtmpUrl(text: string, key: string): RtmpTarget | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isSecure = url.protocol === 'rtmps:';
  if ((!isSecure && url.protocol !== 'rtmp:') || !url.hostname || url.hash) return undefined;
  const segments = url.pathname.split('/').filter(Boolean);
  const streamKey = key || (segments.length > 1 ? `${segments.pop()}${url.search}` : '');
  if (segments.length === 0 || !streamKey) return undefined;
  return {
    isSecure,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port ? Number(url.port) : isSecure ? defaultRtmpsPort : defaultRtmpPort,
    app: segments.join('/') + (key ? url.search : ''),
    key: streamKey,
    username: unescaped(url.username) ?? url.username,
    password: unescaped(url.password) ?? url.password,
  };
}

/** Returns the tcUrl of `connect`. Credentials are included only for servers that look for them there. */
export function tcUrl(target: RtmpTarget, options: { readonly withCredentials: boolean }): string {
  const { isSecure, username, password } = target;
  const userInfo = `${encodeURIComponent(username)}:${encodeURIComponent(password)}@`;
  return `${isSecure ? 'rtmps' : 'rtmp'}://${options.withCredentials ? userInfo : ''}${hostAndPort(target)}/${target.app}`;
}

function hostAndPort({ host, port, isSecure }: RtmpTarget): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return port === (isSecure ? defaultRtmpsPort : defaultRtmpPort) ? name : `${name}:${port}`;
}
