/** How many items of a list are in each state. */
import type { StateFilter } from './column.ts';

/** State of an item by its filters. Items that change are other objects, so that those that did not are not judged again. */
const judged = new WeakMap<object, WeakMap<object, string>>();

export function stateCounts<T extends object>(
  states: readonly StateFilter<T>[],
  items: readonly T[],
): ReadonlyMap<string, number> {
  const known = judged.get(states) ?? new WeakMap<object, string>();
  judged.set(states, known);
  const counts = new Map<string, number>();
  for (const item of items) {
    let key = known.get(item);
    if (key === undefined) {
      key = states.find(({ has }) => has(item))?.key ?? '';
      known.set(item, key);
    }
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
