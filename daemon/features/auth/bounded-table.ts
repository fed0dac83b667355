interface BoundedTableOptions<V> {
  readonly max: number;
  /** The entry with the lowest worth is evicted for a new one; an entry of infinite worth never is. */
  readonly worth: (entry: V) => number;
}

export interface BoundedTable<V> {
  /** Returns the entry of this key, or a new one; undefined if no entry can be evicted for it. */
  take(key: string, make: () => V): V | undefined;
}

/** A map of at most `max` entries. Of entries with the same worth, the least recently used is evicted first. */
export function createBoundedTable<V>({ max, worth }: BoundedTableOptions<V>): BoundedTable<V> {
  const entries = new Map<string, V>();

  function makeRoom(): boolean {
    let least: { key: string; worth: number } | undefined;
    for (const [key, entry] of entries) {
      const own = worth(entry);
      if (own < (least?.worth ?? Number.POSITIVE_INFINITY)) least = { key, worth: own };
      if (own <= 0) break;
    }
    return least !== undefined && entries.delete(least.key);
  }

  return {
    take(key, make) {
      const entry = entries.get(key);
      // The map keeps the order of use.
      entries.delete(key);
      if (entry === undefined && entries.size >= max && !makeRoom()) return undefined;
      const taken = entry ?? make();
      entries.set(key, taken);
      return taken;
    },
  };
}
