/** Turns events with patches into events with whole objects. */
import type { EventMessage, ObjectsEvent } from '../../../daemon/contract/events.ts';
import { applyPatch } from '../../../daemon/contract/patch.ts';
import type { EventKind } from './event-link.ts';

type Objects = ObjectsEvent<object>;

/** The topic `system` has one object without an id. */
const keyOf = (object: object): number => ('id' in object ? Number(object.id) : 0);

/** Returns a function that keeps the objects of each topic as the stream sent them, and completes each message. */
export function createWholeObjects() {
  const topics = new Map<string, Map<number, object>>();

  return (kind: EventKind, { topic, data }: EventMessage): EventMessage => {
    if (!('changed' in data)) return { topic, data } as EventMessage;
    const { changed, patched = [], removed, left } = data as Objects;
    const known = (kind === 'change' && topics.get(topic)) || new Map<number, object>();
    topics.set(topic, known);
    for (const object of changed) known.set(keyOf(object), object);
    const whole = patched.flatMap(([key, patch]) => {
      const before = known.get(key);
      if (before === undefined) return [];
      const after = applyPatch(before, patch);
      known.set(key, after);
      return [after];
    });
    for (const key of removed) known.delete(key);
    return { topic, data: { changed: [...changed, ...whole], removed, left } } as EventMessage;
  };
}
