/** The name or address of the hub in the addresses that the console shows for encoders and players. */
import { create } from 'zustand';
import { useSystem } from './system-query.ts';

const useChosen = create<{ readonly host: string | undefined }>(() => ({ host: undefined }));

export interface HubHost {
  /** IPv6 in brackets, as in a URL. */
  readonly host: string;
  /** What can be chosen instead; always contains `host`. */
  readonly choices: readonly string[];
  /** Whether the browser opened the hub by a name that only the hub's own machine can use. */
  readonly isOpenedLocally: boolean;
  readonly choose: (host: string) => void;
}

/** The choice applies to all pages until the console is loaded again. */
export function useHubHost(): HubHost {
  const addresses = useSystem()?.addresses ?? [];
  const chosen = useChosen(({ host }) => host);
  const choices = hostChoices(location.hostname, addresses);
  const [first = location.hostname] = choices;
  return {
    host: chosen !== undefined && choices.includes(chosen) ? chosen : first,
    choices,
    isOpenedLocally: isLocalName(location.hostname),
    choose: (host) => useChosen.setState({ host }),
  };
}

/**
 * The name by which the browser reached the hub is known to work, so it comes first, unless it is one that only the
 * hub's own machine can use.
 */
export function hostChoices(opened: string, addresses: readonly string[]): string[] {
  const own = addresses.map((address) => (address.includes(':') ? `[${address}]` : address));
  const list = isLocalName(opened) ? [...own, opened] : [opened, ...own];
  return [...new Set(list)];
}

export function isLocalName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
