/** A list of objects that the events of a topic keep current. */
import type { ObjectsEvent } from '../../../daemon/contract/events.ts';
import type { EventKind } from './event-link.ts';

interface Identified {
  readonly id: number;
}

/**
 * Returns a function that applies events to a list. Objects that did not change stay the same objects, and all keep
 * their order; new ones come last. After an `init`, known objects stay until the last of its messages, so that a list
 * that arrives in parts is not emptied. A change to an unknown list is ignored: its `init` is still to come.
 */
export function createListKeeper<T extends Identified>() {
  return createKeyedListKeeper<T, number>(({ id }) => id);
}

/** The same for objects that a topic names by another key. */
export function createKeyedListKeeper<T, Key>(keyOf: (object: T) => Key) {
  /** Keys that the messages since `init` have not named. */
  let unnamed: Set<Key> | undefined;

  return (before: T[] | undefined, kind: EventKind, event: ObjectsEvent<T, Key>): T[] | undefined => {
    if (kind === 'init') unnamed = new Set(before?.map(keyOf));
    else if (before === undefined) return undefined;
    const removed = new Set(event.removed);
    if (unnamed) {
      for (const object of event.changed) unnamed.delete(keyOf(object));
      if (event.left === 0) {
        for (const key of unnamed) removed.add(key);
        unnamed = undefined;
      }
    }
    return applyKeyed(before ?? [], event.changed, removed, keyOf);
  };
}

export function applyObjects<T extends Identified>(
  before: readonly T[],
  changed: readonly T[],
  removed: ReadonlySet<number>,
): T[] {
  return applyKeyed(before, changed, removed, ({ id }) => id);
}

function applyKeyed<T, Key>(
  before: readonly T[],
  changed: readonly T[],
  removed: ReadonlySet<Key>,
  keyOf: (object: T) => Key,
): T[] {
  const next = new Map(changed.map((object) => [keyOf(object), object]));
  const kept = before.filter((object) => !removed.has(keyOf(object)));
  const known = new Set(before.map(keyOf));
  return [
    ...kept.map((object) => next.get(keyOf(object)) ?? object),
    ...changed.filter((one) => !known.has(keyOf(one))),
  ];
}
