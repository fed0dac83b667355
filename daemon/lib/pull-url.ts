/** URLs that an input is fetched from: `rtsp://host/path`, `http://host/stream.ts`, `https://host/live.m3u8`. */
import { limits } from '../contract/limits.ts';
import { isHost } from '../contract/rules.ts';
import type { AddressFault } from './stream-address.ts';
import { type TsChoice, takeChoice } from './ts-choice.ts';

export interface PullUrl {
  readonly protocol: 'rtsp' | 'http';
  /** Without name, password and options of ours. */
  readonly url: string;
  readonly username?: string;
  readonly password?: string;
  readonly tcpFirst?: boolean;
  /** Milliseconds. */
  readonly bufferMs?: number;
  readonly choice?: Partial<TsChoice>;
}

const protocols: Readonly<Record<string, PullUrl['protocol']>> = { 'rtsp:': 'rtsp', 'http:': 'http', 'https:': 'http' };
const fault = (rule: string, detail: string): { fault: AddressFault } => ({ fault: { rule, detail } });

export const isPullScheme = (scheme: string): boolean => Object.hasOwn(protocols, `${scheme}:`);

/** The options `mw-tcp-first` and `mw-buffer-duration` are those of the published API; but for the choice of a programme all others belong to the source. */
export function parsePullUrl(text: string): PullUrl | { readonly fault: AddressFault } {
  const parsed = URL.parse(text);
  const protocol = parsed ? protocols[parsed.protocol] : undefined;
  if (!parsed || protocol === undefined) {
    return fault(/^rtsp:/i.test(text) ? 'rtspUrl' : 'httpUrl', 'not of the form scheme://host/path');
  }
  if (!isHost(parsed.hostname.replace(/^\[|\]$/g, ''))) return fault('host', 'host');
  if (parsed.port === '0') return fault('range', 'port');
  const options = takeOptions(parsed);
  if ('fault' in options) return options;
  const choice = protocol === 'http' ? takeChoice(parsed.searchParams) : {};
  if ('fault' in choice) return choice;
  const { username, password } = parsed;
  parsed.username = '';
  parsed.password = '';
  parsed.hash = '';
  return {
    protocol,
    url: parsed.href,
    ...(username !== '' && { username: decodeURIComponent(username), password: decodeURIComponent(password) }),
    ...options,
    ...(Object.keys(choice).length > 0 && { choice }),
  };
}

function takeOptions(url: URL): Pick<PullUrl, 'tcpFirst' | 'bufferMs'> | { fault: AddressFault } {
  const first = url.searchParams.get('mw-tcp-first');
  const buffer = url.searchParams.get('mw-buffer-duration');
  if (first !== null && first !== '0' && first !== '1') return fault('choice', 'mw-tcp-first');
  const { min, max } = limits.bufferDuration;
  if (buffer !== null && !/^\d{1,9}$/.test(buffer)) return fault('number', 'mw-buffer-duration');
  if (buffer !== null && (Number(buffer) < min || Number(buffer) > max)) return fault('range', 'mw-buffer-duration');
  // Only then: writing the query anew changes how a signed one is spelled.
  if (first !== null) url.searchParams.delete('mw-tcp-first');
  if (buffer !== null) url.searchParams.delete('mw-buffer-duration');
  return {
    ...(first !== null && { tcpFirst: first === '1' }),
    ...(buffer !== null && { bufferMs: Number(buffer) }),
  };
}
