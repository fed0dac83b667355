/** Finds the stream key in a client's request: as the stream name, or after the application name. */
import type { AmfValue } from '../flv/amf0.ts';

const maxKeyLength = 256;

/** `key` is set if the client put it after the application (`live/KEY`). Returns undefined for any other name. */
export function parseApp(value: AmfValue): { app: string; key: string } | undefined {
  if (typeof value !== 'string' || value.length > 2 * maxKeyLength) return undefined;
  const [app = '', key = '', ...rest] = withoutQuery(value).split('/').filter(Boolean);
  return rest.length > 0 ? undefined : { app, key };
}

/** Returns the key of a publish or play command; empty if there is none, or two. */
export function findKey(appKey: string, streamName: AmfValue): string {
  const written = typeof streamName === 'string' ? withoutQuery(streamName) : '';
  // The expression below would rescan a long run of slashes from each of them.
  if (written.length > 2 * maxKeyLength) return '';
  const name = written.replace(/^\/+|\/+$/g, '');
  if (name && appKey) return '';
  const key = name || appKey;
  return key.length <= maxKeyLength ? key : '';
}

function withoutQuery(text: string): string {
  const at = text.indexOf('?');
  return at < 0 ? text : text.slice(0, at);
}
