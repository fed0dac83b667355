/** A list of objects that the events of a topic keep current. */
import type { ObjectsEvent } from '../../../daemon/contract/events.ts';
import type { EventKind } from './event-link.ts';

interface Keyed {
  readonly id: number;
}

/**
 * Returns a function that applies events to a list. Objects that did not change stay the same objects, and all keep
 * their order; new ones come last. After an `init`, known objects stay until the last of its messages, so that a list
 * that arrives in parts is not emptied. A change to an unknown list is ignored: its `init` is still to come.
 */
export function createListKeeper<T extends Keyed>() {
  /** Ids that the messages since `init` have not named. */
  let unnamed: Set<number> | undefined;

  return (before: T[] | undefined, kind: EventKind, event: ObjectsEvent<T>): T[] | undefined => {
    if (kind === 'init') unnamed = new Set(before?.map(({ id }) => id));
    else if (before === undefined) return undefined;
    const removed = new Set(event.removed);
    if (unnamed) {
      for (const { id } of event.changed) unnamed.delete(id);
      if (event.left === 0) {
        for (const id of unnamed) removed.add(id);
        unnamed = undefined;
      }
    }
    return applyObjects(before ?? [], event.changed, removed);
  };
}

export function applyObjects<T extends Keyed>(
  before: readonly T[],
  changed: readonly T[],
  removed: ReadonlySet<number>,
): T[] {
  const next = new Map(changed.map((object) => [object.id, object]));
  const kept = before.filter(({ id }) => !removed.has(id)).map((object) => next.get(object.id) ?? object);
  const known = new Set(before.map(({ id }) => id));
  return [...kept, ...changed.filter(({ id }) => !known.has(id))];
}
