import { expect, test } from 'bun:test';
import type { EventMessage } from '../../../daemon/contract/events.ts';
import type { EventKind } from './event-link.ts';
import { createWholeObjects } from './whole-objects.ts';

function reader() {
  const complete = createWholeObjects();
  return (kind: EventKind, topic: string, data: object) => {
    const none = { changed: [], removed: [], left: 0 };
    return complete(kind, { topic, data: { ...none, ...data } } as never as EventMessage).data;
  };
}

test('a patch completes the object that came before it', () => {
  const read = reader();
  read('init', 'channels', { changed: [{ id: 1, name: 'A', kbps: 1 }] });
  expect(read('change', 'channels', { patched: [[1, { kbps: 2 }]] })).toMatchObject({
    changed: [{ id: 1, name: 'A', kbps: 2 }],
  });
  expect(read('change', 'channels', { patched: [[1, { name: null }]] })).toMatchObject({
    changed: [{ id: 1, kbps: 2 }],
  });
});

test('the only object of a topic needs no id', () => {
  const read = reader();
  read('init', 'system', { changed: [{ cpu: 1, mem: 5 }] });
  expect(read('change', 'system', { patched: [[0, { cpu: 2 }]] })).toMatchObject({ changed: [{ cpu: 2, mem: 5 }] });
});

test('the numbers of devices, whose key is the user, are completed', () => {
  const read = reader();
  read('init', 'device-counts', { changed: [{ 'num-all': 1, 'num-warn': 0 }] });
  expect(read('change', 'device-counts', { patched: [[8, { 'num-warn': 1 }]] })).toMatchObject({
    changed: [{ 'num-all': 1, 'num-warn': 1 }],
  });
});

test('devices are named by their serial numbers', () => {
  const read = reader();
  read('init', 'devices', {
    changed: [
      { id: 1, sn: 'A' },
      { id: 2, sn: 'B' },
    ],
  });
  expect(read('change', 'devices', { patched: [['B', { connection: 'online' }]] })).toMatchObject({
    changed: [{ id: 2, sn: 'B', connection: 'online' }],
  });
});

test('a new stream and a removal forget objects', () => {
  const read = reader();
  read('init', 'channels', { changed: [{ id: 1 }, { id: 2 }] });
  read('change', 'channels', { removed: [2] });
  expect(read('change', 'channels', { patched: [[2, { kbps: 2 }]] })).toMatchObject({ changed: [] });
  read('init', 'channels', {});
  expect(read('change', 'channels', { patched: [[1, { kbps: 2 }]] })).toMatchObject({ changed: [] });
});

test('lines are passed on', () => {
  expect(createWholeObjects()('change', { topic: 'syslog', data: { lines: [], last: 3 } })).toMatchObject({
    data: { last: 3 },
  });
});
