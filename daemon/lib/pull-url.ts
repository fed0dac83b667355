/** URLs of pulled inputs: `rtsp://host/path`, `http://host/stream.ts`, `https://host/live.m3u8`. */
import { isHost } from '../contract/rules.ts';
import { type InputOptions, takeOptions } from './input-options.ts';
import type { AddressFault } from './stream-address.ts';

export interface PullUrl {
  readonly protocol: 'rtsp' | 'http';
  /** Without user name, password and our options. */
  readonly url: string;
  readonly username?: string;
  readonly password?: string;
  readonly tcpFirst?: boolean;
  readonly options?: Partial<InputOptions>;
}

const protocols: Readonly<Record<string, PullUrl['protocol']>> = { 'rtsp:': 'rtsp', 'http:': 'http', 'https:': 'http' };
const fault = (rule: string, detail: string): { fault: AddressFault } => ({ fault: { rule, detail } });

export const isPullScheme = (scheme: string): boolean => Object.hasOwn(protocols, `${scheme}:`);

/** The `mw-…` options are those of the published API, and ours to select a program; all others belong to the source. */
export function parsePullUrl(text: string): PullUrl | { readonly fault: AddressFault } {
  const parsed = URL.parse(text);
  const protocol = parsed ? protocols[parsed.protocol] : undefined;
  if (!parsed || protocol === undefined) {
    return fault(/^rtsp:/i.test(text) ? 'rtspUrl' : 'httpUrl', 'not of the form scheme://host/path');
  }
  if (!isHost(parsed.hostname.replace(/^\[|\]$/g, ''))) return fault('host', 'host');
  if (parsed.port === '0') return fault('range', 'port');
  const first = protocol === 'rtsp' ? takeFirst(parsed) : {};
  if ('fault' in first) return first;
  // There is no program to select if FFmpeg writes the tables.
  const options = takeOptions(parsed.searchParams, protocol === 'rtsp' ? ['mw-buffer-duration'] : undefined);
  if ('fault' in options) return options;
  const { username, password } = parsed;
  parsed.username = '';
  parsed.password = '';
  parsed.hash = '';
  return {
    protocol,
    url: parsed.href,
    ...(username !== '' && { username: decoded(username), password: decoded(password) }),
    ...first,
    ...(Object.keys(options).length > 0 && { options }),
  };
}

/** Returns the text unchanged if its percent-encoding is invalid. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function takeFirst(url: URL): Pick<PullUrl, 'tcpFirst'> | { fault: AddressFault } {
  const first = url.searchParams.get('mw-tcp-first');
  if (first === null) return {};
  if (first !== '0' && first !== '1') return fault('choice', 'mw-tcp-first');
  // Only if present: rewriting the query changes the spelling of a signed one.
  url.searchParams.delete('mw-tcp-first');
  return { tcpFirst: first === '1' };
}
