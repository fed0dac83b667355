/** Finds the stream key in what clients send: as stream name, or behind the application name. */
import type { AmfValue } from './amf0.ts';

export const maxKeyLength = 256;

export interface AppName {
  readonly app: string;
  /** Set when the client put the key behind the application (`live/KEY`). */
  readonly key: string;
}

/** Undefined when this is not a name we could serve. */
export function parseApp(value: AmfValue): AppName | undefined {
  if (typeof value !== 'string' || value.length > 2 * maxKeyLength) return undefined;
  const [app = '', key = '', ...rest] = withoutQuery(value).split('/').filter(Boolean);
  return rest.length > 0 ? undefined : { app, key };
}

/** The key of a publish or play command; empty when there is none, or two. */
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
