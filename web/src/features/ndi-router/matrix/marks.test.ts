import { expect, test } from 'bun:test';
import { marksOf } from './marks.ts';

const usual = {
  ...{ substitute: null, isApplied: true, isWaiting: false, sends: undefined },
  ...{ asked: undefined, staged: undefined },
};
type Shown = Parameters<typeof marksOf>[0];
const marks = (shown: Partial<Shown> & Pick<Shown, 'routed'>) => [...marksOf({ ...usual, ...shown })];

test('a route and what is sent are one mark while they are the same, and two while they differ', () => {
  expect(marks({ routed: 2 })).toEqual([[2, 'sent']]);
  expect(marks({ routed: null })).toEqual([[null, 'sent']]);
  expect(marks({ routed: 2, isApplied: false, sends: 1 })).toEqual([
    [1, 'leaving'],
    [2, 'due'],
  ]);
  expect(marks({ routed: 2, isApplied: false, sends: null })).toEqual([
    [null, 'leaving'],
    [2, 'due'],
  ]);
});

test('an output that sends what is in no input shows only what it is routed to', () => {
  expect(marks({ routed: 2, isApplied: false })).toEqual([[2, 'due']]);
});

test('a source that is offline is lost, confirmed or not', () => {
  expect(marks({ routed: 2, isWaiting: true })).toEqual([[2, 'lost']]);
  expect(marks({ routed: 2, isWaiting: true, isApplied: false, sends: 1 })).toContainEqual([2, 'lost']);
});

test('a source that stands in for one that is offline has its own mark', () => {
  expect(marks({ routed: 2, substitute: 5 })).toEqual([
    [2, 'lost'],
    [5, 'standIn'],
  ]);
  expect(marks({ routed: 2, substitute: 5, isApplied: false, sends: 2 })).toEqual([
    [2, 'lost'],
    [5, 'due'],
  ]);
});

test('what is asked covers what is staged, and both cover what is there', () => {
  expect(marks({ routed: 2, staged: 2 })).toEqual([[2, 'staged']]);
  expect(marks({ routed: 2, staged: 3, asked: 3 })).toContainEqual([3, 'asked']);
  expect(marks({ routed: 2, asked: null })).toContainEqual([null, 'asked']);
});
