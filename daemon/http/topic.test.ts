import { describe, expect, test } from 'bun:test';
import { parseMessage, readerSession, readTopic } from '../../tests/support/topic-reader.ts';
import { until } from '../../tests/support/until.ts';
import type { LinesEvent, ObjectsEvent } from '../contract/events.ts';
import { createLineTopic, createObjectTopic, type Key } from './topic.ts';

interface Thing {
  readonly id: number;
  readonly owner?: string;
  readonly secret?: string;
  readonly text?: string;
  readonly isOver?: true;
}
type ThingEvent = ObjectsEvent<Thing>;

const ann = readerSession('ann', 'deviceView', 'deviceControl');
const bob = readerSession('bob', 'deviceView');

function things(...list: Thing[]) {
  const byId = new Map(list.map((thing) => [thing.id, thing]));
  const watchers = new Set<(keys: Iterable<Key>) => void>();
  let reads = 0;
  const topic = createObjectTopic<Thing>({
    name: 'things',
    scope: 'deviceView',
    all: () => byId.values(),
    find: (key) => {
      reads++;
      return byId.get(Number(key));
    },
    keyOf: ({ id }) => id,
    canSee: ({ user }, { owner }) => owner === undefined || owner === user.name,
    isLast: ({ isOver }) => isOver === true,
    redaction: { unless: 'deviceControl', redact: ({ secret: _, ...shown }) => shown },
    watch(changed) {
      watchers.add(changed);
      return () => watchers.delete(changed);
    },
  });
  return {
    ...{ topic, watchers, byId },
    reads: () => reads,
    set(...changed: Thing[]) {
      for (const thing of changed) byId.set(thing.id, thing);
      for (const watcher of watchers) watcher(changed.map(({ id }) => id));
    },
    remove(...ids: number[]) {
      for (const id of ids) byId.delete(id);
      for (const watcher of watchers) watcher(ids);
    },
  };
}

describe('a topic of objects', () => {
  test('begins with every object, and sends changed and removed ones', async () => {
    const { topic, set, remove } = things({ id: 1 }, { id: 2 });
    const read = readTopic<ThingEvent>(topic, ann);
    expect(read.messages).toEqual([{ kind: 'init', data: { changed: [{ id: 1 }, { id: 2 }], removed: [], left: 0 } }]);
    set({ id: 2, text: 'new' }, { id: 3 });
    remove(1);
    await until(() => read.messages.length > 1);
    expect(read.changes()).toEqual([{ changed: [{ id: 2, text: 'new' }, { id: 3 }], removed: [1], left: 0 }]);
  });

  test('sends several changes of an object as one, and an equal state not at all', async () => {
    const { topic, set } = things({ id: 1 }, { id: 2 });
    const read = readTopic<ThingEvent>(topic, ann);
    for (let at = 0; at < 20; at++) set({ id: 1, text: String(at) }, { id: 2 });
    await until(() => read.messages.length > 1);
    set({ id: 1, text: '19' });
    set({ id: 2, text: 'end' });
    await until(() => read.messages.length > 2);
    expect(read.changes().map(({ changed }) => changed)).toEqual([[{ id: 1, text: '19' }], [{ id: 2, text: 'end' }]]);
  });

  test('a listener that opens before a change is sent does not keep it from the others', async () => {
    const { topic, set } = things({ id: 1 });
    const first = readTopic<ThingEvent>(topic, ann);
    set({ id: 1, text: 'new' }, { id: 2 });
    const second = readTopic<ThingEvent>(topic, ann);
    second.recheck();
    await until(() => first.messages.length > 1);
    expect(first.changes()[0]?.changed).toEqual([{ id: 1, text: 'new' }, { id: 2 }]);
    // It has the latest state that was serialized, and then the new one.
    expect(second.messages.map(({ data }) => data.changed)).toEqual([[{ id: 1 }, { id: 2 }], [{ id: 1, text: 'new' }]]);
  });

  test('says when it has ended, and counts no objects that the listener does not see', async () => {
    const text = 'x'.repeat(1000);
    const all = Array.from({ length: 200 }, (_, id) => ({ id, text, ...(id >= 50 && { owner: 'bob' }) }));
    const { topic, remove } = things(...all);
    const view = topic.open({ session: ann, onNews: () => {} });
    const take = () => parseMessage<ThingEvent>(view.next()!).message.data;
    const first = take();
    expect(first.left).toBe(50 - first.changed.length);
    // What is still to come is removed meanwhile.
    remove(...all.map(({ id }) => id).slice(first.changed.length));
    const second = readTopic<ThingEvent>(topic, ann);
    remove(0);
    await until(() => second.messages.length > 1);
    const rest = [take()];
    while (rest.at(-1)!.left > 0) rest.push(take());
    expect(rest.at(-1)!.left).toBe(0);
    expect(view.next()).toBeUndefined();
  });

  test('sends a lean listener only what changed of the objects that it has', async () => {
    const { topic, set } = things({ id: 1, text: 'old', secret: 'a' }, { id: 2 });
    const readers = [ann, bob].map((session) => readTopic<ThingEvent>(topic, session, undefined, true));
    const [full, redacted] = readers as [(typeof readers)[0], (typeof readers)[0]];
    expect(full.messages[0]?.data.changed).toEqual([{ id: 1, text: 'old', secret: 'a' }, { id: 2 }]);
    set({ id: 1, text: 'new', secret: 'b' }, { id: 3 });
    await until(() => full.changes().length === 1 && redacted.changes().length === 1);
    expect(full.changes()).toEqual([
      { changed: [{ id: 3 }], patched: [[1, { text: 'new', secret: 'b' }]], removed: [], left: 0 },
    ]);
    expect(redacted.changes()).toEqual([
      { changed: [{ id: 3 }], patched: [[1, { text: 'new' }]], removed: [], left: 0 },
    ]);
    for (const { close } of readers) close();
  });

  test('is forgotten after a last state, which comes once', async () => {
    const { topic, set, byId } = things({ id: 1 }, { id: 2 });
    const read = readTopic<ThingEvent>(topic, ann);
    set({ id: 1, isOver: true });
    await until(() => read.messages.length > 1);
    byId.delete(1);
    read.recheck();
    expect(read.changes()).toEqual([{ changed: [{ id: 1, isOver: true }], removed: [], left: 0 }]);
  });

  test('an empty one begins, too', () => {
    expect(readTopic<ThingEvent>(things().topic).messages).toEqual([
      { kind: 'init', data: { changed: [], removed: [], left: 0 } },
    ]);
  });

  test('begins in messages of about 32 KB, and a change in between comes in its newest state', async () => {
    const all = Array.from({ length: 300 }, (_, id) => ({ id, text: 'x'.repeat(1000) }));
    const { topic, set, reads } = things(...all);
    let news = 0;
    const view = topic.open({ session: ann, onNews: () => news++ });
    const take = () => parseMessage<ThingEvent>(view.next() ?? Buffer.of()).message;
    const first = take();
    expect(first.kind).toBe('init');
    expect(first.data.left).toBe(300 - first.data.changed.length);
    expect(JSON.stringify(first.data.changed).length).toBeLessThan(36_000);
    set({ id: 299, text: 'new' });
    set({ id: 0, text: 'new' });
    await until(() => news > 0);
    const rest = [];
    for (let next = take(); ; next = take()) {
      rest.push(next);
      if (next.data.left === 0) break;
    }
    expect(rest.every(({ kind }) => kind === 'change')).toBe(true);
    const shown = rest.flatMap(({ data }) => data.changed);
    expect(shown.map(({ id }) => id)).toEqual([
      ...Array.from({ length: 300 - first.data.changed.length }, (_, at) => first.data.changed.length + at),
      0,
    ]);
    expect(shown.filter(({ text }) => text === 'new').map(({ id }) => id)).toEqual([299, 0]);
    expect(view.next()).toBeUndefined();
    expect(reads()).toBeLessThan(305);
  });

  test('a listener that takes nothing keeps one state per object, however often it changes', async () => {
    const { topic, set } = things({ id: 1 }, { id: 2 });
    let news = 0;
    const view = topic.open({ session: ann, onNews: () => news++ });
    view.next();
    for (let at = 1; at <= 5; at++) {
      set({ id: 1, text: String(at) });
      await until(() => news === at);
    }
    expect(parseMessage<ThingEvent>(view.next()!).message.data.changed).toEqual([{ id: 1, text: '5' }]);
    expect(view.next()).toBeUndefined();
  });

  test('serializes a state once for all listeners, and once more without secrets', async () => {
    const { topic, set, reads } = things({ id: 1, secret: 's1' });
    const [editor, second, viewer] = [ann, ann, bob].map((session) => readTopic<ThingEvent>(topic, session));
    expect(reads()).toBe(1);
    set({ id: 1, secret: 's2' });
    await until(() => viewer!.messages.length > 1);
    expect(reads()).toBe(2);
    for (const read of [editor, second]) expect(read!.changes()[0]?.changed).toEqual([{ id: 1, secret: 's2' }]);
    expect(viewer!.messages.flatMap(({ data }) => data.changed)).toEqual([{ id: 1 }, { id: 1 }]);
  });

  test('asks who may see the whole object, then shows it, then removes secrets from what is shown', async () => {
    const hidden = { id: 2, owner: 'bob', secret: 's1' };
    const { set, watchers, byId } = things({ id: 1, secret: 's1', text: 'hidden' }, hidden);
    const asked: Thing[] = [];
    const topic = createObjectTopic<Thing, { readonly number: number; readonly key: string | undefined }>({
      ...{ name: 'things', scope: 'deviceView', all: () => byId.values(), find: (id) => byId.get(Number(id)) },
      keyOf: ({ id }) => id,
      // By a member that is not shown.
      canSee({ user }, thing) {
        asked.push(thing);
        return thing.owner === undefined || thing.owner === user.name;
      },
      show: ({ id, secret }) => ({ number: id, key: secret }),
      redaction: { unless: 'deviceControl', redact: ({ key: _, ...rest }) => rest },
      watch(changed) {
        watchers.add(changed);
        return () => watchers.delete(changed);
      },
    });
    const [editor, viewer] = [ann, bob].map((session) => readTopic<ObjectsEvent<object>>(topic, session));
    set({ id: 1, secret: 's2', text: 'hidden' });
    await until(() => editor!.messages.length > 1 && viewer!.messages.length > 1);
    const seen = (read: typeof editor) => read!.messages.flatMap(({ data }) => data.changed);
    expect(seen(editor)).toEqual([
      { number: 1, key: 's1' },
      { number: 1, key: 's2' },
    ]);
    expect(seen(viewer)).toEqual([{ number: 1 }, { number: 2 }, { number: 1 }]);
    // Never what is shown of it, nor what is left of that.
    expect(asked.filter((thing) => !('id' in thing))).toEqual([]);
    expect(asked).toContainEqual(hidden);
  });

  test('shows each listener what it may see, and follows a change of that', async () => {
    const { topic, set, byId, remove } = things({ id: 1 }, { id: 2, owner: 'ann' }, { id: 3, owner: 'bob' });
    const read = readTopic<ThingEvent>(topic, ann);
    const ids = (data: ThingEvent | undefined) => [data?.changed.map(({ id }) => id), data?.removed];
    expect(ids(read.messages[0]?.data)).toEqual([[1, 2], []]);
    set({ id: 3, owner: 'bob', text: 'not for ann' }, { id: 2, owner: 'bob' }, { id: 4, owner: 'ann' });
    await until(() => read.messages.length > 1);
    expect(ids(read.changes()[0])).toEqual([[4], [2]]);
    // Visibility that changes without the object.
    (byId.get(3) as { owner: string }).owner = 'ann';
    (byId.get(4) as { owner: string }).owner = 'bob';
    read.recheck();
    expect(ids(read.changes()[1])).toEqual([[3], [4]]);
    read.recheck();
    expect(read.messages).toHaveLength(3);
    remove(2, 3);
    await until(() => read.messages.length > 3);
    expect(ids(read.changes()[2])).toEqual([[], [3]]);
  });

  test('may be limited to some objects', async () => {
    const { topic, set, remove } = things({ id: 1 }, { id: 2 }, { id: 3 });
    const read = readTopic<ThingEvent>(topic, ann, new Set(['2', '9']));
    expect(read.messages[0]?.data).toEqual({ changed: [{ id: 2 }], removed: [], left: 0 });
    set({ id: 1, text: 'x' }, { id: 9 });
    remove(2, 3);
    await until(() => read.messages.length > 1);
    expect(read.changes()).toEqual([{ changed: [{ id: 9 }], removed: [2], left: 0 }]);
  });

  test('is watched only while it has listeners', () => {
    const { topic, watchers } = things({ id: 1 });
    const reads = [readTopic(topic), readTopic(topic)];
    expect(watchers.size).toBe(1);
    for (const read of reads) read.close();
    for (const read of reads) read.close();
    expect(watchers.size).toBe(0);
  });
});

describe('a topic of lines', () => {
  function lines() {
    const listeners = new Set<(lines: readonly { id: number }[]) => void>();
    let last = 7;
    const topic = createLineTopic<{ id: number }>({
      name: 'lines',
      scope: 'admin',
      idOf: ({ id }) => id,
      last: () => last,
      subscribe(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    });
    const add = (count: number) => {
      const more = Array.from({ length: count }, () => ({ id: ++last }));
      for (const listener of listeners) listener(more);
    };
    return { topic, listeners, add };
  }

  test('begins with the newest id, and sends what is appended', () => {
    const { topic, add, listeners } = lines();
    const read = readTopic<LinesEvent<{ id: number }>>(topic);
    add(2);
    expect(read.messages).toEqual([
      { kind: 'init', data: { lines: [], last: 7 } },
      { kind: 'change', data: { lines: [{ id: 8 }, { id: 9 }], last: 9 } },
    ]);
    read.close();
    expect(listeners.size).toBe(0);
  });

  test('a listener that falls far behind begins again', () => {
    const { topic, add } = lines();
    const view = topic.open({ session: ann, onNews: () => {} });
    view.next();
    add(600);
    const take = () => parseMessage<LinesEvent<{ id: number }>>(view.next()!).message;
    expect(take().data.lines).toHaveLength(500);
    add(6000);
    expect(take()).toEqual({ kind: 'init', data: { lines: [], last: 6607 } });
    add(1);
    expect(take().data).toEqual({ lines: [{ id: 6608 }], last: 6608 });
  });
});
