/** RTMP addresses: `rtmp[s]://[user:password@]host[:port]/app[/instance]`, the stream key apart or as last segment. */
import { defaultRtmpPort, defaultRtmpsPort } from './protocol.ts';

export interface RtmpTarget {
  readonly isSecure: boolean;
  /** Name or address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** Application with instance and query, as it goes into `connect`. */
  readonly app: string;
  /** Stream key; a secret. */
  readonly key: string;
  readonly username: string;
  readonly password: string;
}

/**
 * Undefined when this is no RTMP address. With an empty `key` the last path segment is the key, as most services print
 * their addresses in two parts and some in one.
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
    username: decode(url.username),
    password: decode(url.password),
  };
}

/** What `connect` names as tcUrl. Credentials only go in for servers that look for them there. */
export function tcUrl(target: RtmpTarget, options: { readonly withCredentials: boolean }): string {
  const { isSecure, username, password } = target;
  const userInfo = `${encodeURIComponent(username)}:${encodeURIComponent(password)}@`;
  return `${isSecure ? 'rtmps' : 'rtmp'}://${options.withCredentials ? userInfo : ''}${hostAndPort(target)}/${target.app}`;
}

/** The address without key and credentials, for logs. */
export function maskedRtmpUrl(target: RtmpTarget): string {
  const app = target.app.replace(/\?.*/s, '');
  return `${target.isSecure ? 'rtmps' : 'rtmp'}://${hostAndPort(target)}/${app}/***`;
}

function hostAndPort({ host, port, isSecure }: RtmpTarget): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return port === (isSecure ? defaultRtmpsPort : defaultRtmpPort) ? name : `${name}:${port}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
