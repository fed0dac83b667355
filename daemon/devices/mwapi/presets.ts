/** Addresses of sources as decoders write them: one URL with the options of the decoder in its query. */
import type { StreamSource } from '../driver.ts';
import { DeviceProblem } from '../problem.ts';
import { clipped, publicAddress } from '../units.ts';

/** Decoders take up to 120 characters. */
export const presetName = (name: string): string => name.trim().slice(0, 120).trim();

/** Rejects schemes other than rtmp: and srt:. */
export function presetUrl({ url, bufferMs }: StreamSource): string {
  const parsed = URL.parse(url);
  const buffer = bufferMs === undefined ? {} : { 'mw-buffer-duration': bufferMs };
  if (parsed?.protocol === 'rtmp:') return withQuery(`rtmp://${parsed.host}${parsed.pathname}`, buffer);
  if (parsed?.protocol !== 'srt:' || parsed.port === '') {
    throw new DeviceProblem('unsupported', 'a decoder takes rtmp: and srt: addresses only');
  }
  const option = (name: string) => parsed.searchParams.get(name) || undefined;
  const latency = Number(option('latency'));
  return withQuery(`srt://${parsed.host}`, {
    mode: 'caller',
    // The range that decoders take.
    latency: latency > 0 ? Math.min(8000, Math.max(20, latency)) : undefined,
    streamid: option('streamid'),
    passphrase: option('passphrase'),
    ...buffer,
  });
}

/** Not by URLSearchParams, which writes spaces as `+`. */
function withQuery(url: string, options: Readonly<Record<string, string | number | undefined>>): string {
  const query = Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return query.length === 0 ? url : `${url}?${query.join('&')}`;
}

const ndiScheme = 'ntkndi:';

/** Without keys, stream ids and passphrases; of an NDI source, the IP address and port of its sender. */
export function sourceAddress(url: string | undefined): string | undefined {
  const parsed = url === undefined ? null : URL.parse(url);
  if (parsed?.protocol === ndiScheme) return clipped(parsed.searchParams.get('url') ?? '') || undefined;
  return publicAddress(url);
}

export function sourceProtocol(url: string | undefined): string {
  const scheme = url === undefined ? undefined : URL.parse(url)?.protocol;
  if (scheme === undefined || scheme === ndiScheme) return 'NDI';
  return scheme.slice(0, -1).toUpperCase().slice(0, 32);
}
