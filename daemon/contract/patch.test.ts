import { expect, test } from 'bun:test';
import { applyPatch, diff, type Json } from './patch.ts';

const states: Record<string, Json>[] = [
  {},
  { id: 1, name: 'Roof', on: true },
  { id: 1, name: 'Roof', on: false, input: { kbps: 10, report: { rtt: 1 } } },
  { id: 1, name: 'Roof', on: false, input: { kbps: 11, report: { rtt: 1, loss: 0 } } },
  { id: 1, outputs: { total: 2, list: [{ id: 1, kbps: 1 }, { id: 2 }] } },
  {
    id: 1,
    outputs: {
      total: 2,
      list: [
        { id: 1, kbps: 2 },
        { id: 3, name: 'new' },
      ],
    },
  },
  { id: 1, outputs: { total: 1, list: [{ id: 3, name: 'new' }] } },
  { id: 1, name: 7, input: 'none', steps: [1, 2, 3] },
  { id: 1, name: {}, steps: [1, 5, 3] },
];

test('every state follows from every other one and the patch between them', () => {
  for (const before of states) {
    for (const after of states) {
      const patch = diff(before, after);
      expect(patch).toBeDefined();
      expect(applyPatch(before, JSON.parse(JSON.stringify(patch)))).toEqual(after);
    }
  }
});

test('a patch has only what changed', () => {
  expect(diff(states[2]!, states[3]!)).toEqual({ input: { kbps: 11, report: { loss: 0 } } });
  expect(diff(states[4]!, states[5]!)).toEqual({ outputs: { list: { 0: { kbps: 2 }, 1: { id: 3, name: 'new' } } } });
  expect(diff(states[3]!, states[3]!)).toEqual({});
});

test('a state that a patch cannot express has none', () => {
  expect(diff({ a: 1 }, { a: null })).toBeUndefined();
  expect(diff({ a: { b: 1 } }, { a: { b: null } })).toBeUndefined();
  expect(diff({ a: [1] }, { a: { 0: 1 } })).toBeUndefined();
});

test('what did not change stays the same object', () => {
  const before = { input: { kbps: 1 }, media: { codec: 'h264' } };
  const after = applyPatch(before, { input: { kbps: 2 } });
  expect(after.media).toBe(before.media);
});
