/** Maps addresses to requests. Nothing else is served. */
import { unescaped } from '../../lib/bytes.ts';
import type { Awaited } from './hls-channel.ts';
import type { Delivery } from './segmenter.ts';

export type MediaRequest = { readonly key: string } & (
  | { readonly wants: 'stream' }
  | { readonly wants: 'playlist'; readonly delivery: Delivery; readonly awaited: Awaited | undefined }
  | { readonly wants: 'media'; readonly number: number; readonly part: number | undefined }
);

const place = /^\/live\/([^/]+?)(?:\.ts|\/(index|low)\.m3u8|\/(\d{1,12})(?:\.(\d{1,4}))?\.ts)$/;

export function readRequest(url: Pick<URL, 'pathname' | 'searchParams'>): MediaRequest | undefined {
  const [, escaped = '', playlist, number, part] = place.exec(url.pathname) ?? [];
  const key = unescaped(escaped);
  if (!key) return undefined;
  if (number !== undefined) {
    return { key, wants: 'media', number: Number(number), part: part === undefined ? undefined : Number(part) };
  }
  if (playlist === undefined) return { key, wants: 'stream' };
  const delivery = playlist === 'low' ? 'parts' : 'segments';
  return { key, wants: 'playlist', delivery, awaited: readAwaited(url.searchParams) };
}

/** A part without a segment number is meaningless and ignored. */
function readAwaited(query: URLSearchParams): Awaited | undefined {
  const number = wholeNumber(query.get('_HLS_msn'));
  return number === undefined ? undefined : { number, part: wholeNumber(query.get('_HLS_part')) };
}

function wholeNumber(text: string | null): number | undefined {
  return text !== null && /^\d{1,12}$/.test(text) ? Number(text) : undefined;
}
