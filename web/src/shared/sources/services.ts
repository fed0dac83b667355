/** Live services and their ingest servers: `services.json` is the list to extend. */
import type { Locale } from '../../i18n/i18n.ts';
import list from './services.json' with { type: 'json' };

type Named = { readonly name: Readonly<Record<Locale, string>> };

export interface LiveService extends Named {
  readonly id: string;
  /** Page on which a user of the service finds the stream key. */
  readonly keyPage: string;
  /** The best first. Empty if the service gives each stream a server of its own. */
  readonly servers: readonly (Named & { readonly url: string })[];
}

export const liveServices: readonly LiveService[] = list;

/** Returns the service that a server belongs to. */
export function serviceOf(url: string): LiveService | undefined {
  const plain = (text: string) => text.trim().replace(/\/$/, '');
  return liveServices.find(({ servers }) => servers.some((server) => plain(server.url) === plain(url)));
}
