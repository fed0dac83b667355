interface BoundedTableOptions<V> {
  readonly most: number;
  /** An entry of the least worth makes room for a new one; one of infinite worth never does. */
  readonly worth: (entry: V) => number;
}

export interface BoundedTable<V> {
  /** The entry of this key, made when there is none; undefined when none may make room for it. */
  take(key: string, make: () => V): V | undefined;
}

/** A map of at most so many entries. Among those of the same worth the one unused for longest goes first. */
export function createBoundedTable<V>({ most, worth }: BoundedTableOptions<V>): BoundedTable<V> {
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
      if (entry === undefined && entries.size >= most && !makeRoom()) return undefined;
      const taken = entry ?? make();
      entries.set(key, taken);
      return taken;
    },
  };
}
