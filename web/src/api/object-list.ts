/** A list of objects that the events of a topic keep current. */
import { replaceEqualDeep } from '@tanstack/react-query';
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
  // One pass, and nothing made of the whole list but its copy: a list of thousands changes several times per second.
  const left = new Map(changed.map((object) => [keyOf(object), object]));
  const list: T[] = [];
  for (const object of before) {
    const key = keyOf(object);
    const next = left.get(key);
    if (next !== undefined) left.delete(key);
    if (!removed.has(key)) list.push(next ?? object);
  }
  for (const object of left.values()) list.push(object);
  return list;
}

/**
 * Keeps the objects of a list that are as before, for the option `structuralSharing`. Those that an event has not
 * changed are the same already and cost a comparison; the library would look into each.
 */
export function sharedItems(before: unknown, next: unknown): unknown {
  if (!Array.isArray(before) || !Array.isArray(next)) return replaceEqualDeep(before, next);
  let isSame = before.length === next.length;
  const list = next.map((item: unknown, at) => {
    const known: unknown = before[at];
    const kept = item === known ? item : replaceEqualDeep(known, item);
    isSame &&= kept === known;
    return kept;
  });
  return isSame ? before : list;
}
