/** Turns events with patches into events with whole objects. */
import type { EventMessage, EventTopic, ObjectsEvent } from '../../../daemon/contract/events.ts';
import { applyPatch } from '../../../daemon/contract/patch.ts';
import type { EventKind } from './event-link.ts';

type Key = number | string;
type Objects = ObjectsEvent<object, Key>;

/** Topics with one object, which does not contain its key. */
const single: ReadonlySet<EventTopic> = new Set(['system', 'device-counts', 'network']);
const onlyKey = 0;

function keyOf(topic: EventTopic, object: object): Key {
  if (single.has(topic)) return onlyKey;
  if (topic === 'devices' && 'sn' in object) return String(object.sn);
  return 'id' in object ? Number(object.id) : onlyKey;
}

/** Returns a function that keeps the objects of each topic as the stream sent them, and completes each message. */
export function createWholeObjects() {
  const topics = new Map<EventTopic, Map<Key, object>>();

  return (kind: EventKind, { topic, data }: EventMessage): EventMessage => {
    if (!('changed' in data)) return { topic, data } as EventMessage;
    const { changed, patched = [], removed, left } = data as Objects;
    const known = (kind === 'change' && topics.get(topic)) || new Map<Key, object>();
    topics.set(topic, known);
    for (const object of changed) known.set(keyOf(topic, object), object);
    const whole = patched.flatMap(([named, patch]) => {
      const key = single.has(topic) ? onlyKey : named;
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
