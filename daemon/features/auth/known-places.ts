/** Where each user signed in recently. */

interface KnownPlacesOptions {
  readonly forgetAfterMs: number;
  /** The newest places kept per user. There are few users, and a name is added only after a correct password. */
  readonly maxPerName: number;
  readonly now: () => number;
}

export function createKnownPlaces({ forgetAfterMs, maxPerName, now }: KnownPlacesOptions) {
  const users = new Map<string, Map<string, number>>();
  return {
    has(name: string, network: string): boolean {
      const at = users.get(name)?.get(network);
      return at !== undefined && now() - at <= forgetAfterMs;
    },
    add(name: string, network: string): void {
      const places = users.get(name) ?? new Map<string, number>();
      users.set(name, places);
      places.delete(network);
      places.set(network, now());
      const [oldest] = places.keys();
      if (places.size > maxPerName && oldest !== undefined) places.delete(oldest);
    },
  };
}
