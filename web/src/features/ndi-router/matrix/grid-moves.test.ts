import { expect, test } from 'bun:test';
import { type Extent, moved, type Place } from './grid-moves.ts';

const extent: Extent = { rows: 20, columns: 30, page: { rows: 8, columns: 10 } };
const go = (place: Place, key: string, { ctrl = false, alt = false } = {}) => moved(place, { key, ctrl, alt }, extent);
const middle = { row: 5, column: 6 };

test('arrows move by one, with Ctrl to the edge', () => {
  expect(go(middle, 'ArrowUp')).toEqual({ row: 4, column: 6 });
  expect(go(middle, 'ArrowDown')).toEqual({ row: 6, column: 6 });
  expect(go(middle, 'ArrowLeft')).toEqual({ row: 5, column: 5 });
  expect(go(middle, 'ArrowRight')).toEqual({ row: 5, column: 7 });
  expect(go(middle, 'ArrowUp', { ctrl: true })).toEqual({ row: 0, column: 6 });
  expect(go(middle, 'ArrowRight', { ctrl: true })).toEqual({ row: 5, column: 29 });
});

test('Home and End stay in the row, with Ctrl they lead to the first and the last crosspoint', () => {
  expect(go(middle, 'Home')).toEqual({ row: 5, column: 0 });
  expect(go(middle, 'End')).toEqual({ row: 5, column: 29 });
  expect(go(middle, 'Home', { ctrl: true })).toEqual({ row: 0, column: 0 });
  expect(go(middle, 'End', { ctrl: true })).toEqual({ row: 19, column: 29 });
});

test('page keys move by what is visible, with Alt sideways', () => {
  expect(go(middle, 'PageDown')).toEqual({ row: 13, column: 6 });
  expect(go({ row: 15, column: 6 }, 'PageDown')).toEqual({ row: 19, column: 6 });
  expect(go(middle, 'PageDown', { alt: true })).toEqual({ row: 5, column: 16 });
  expect(go(middle, 'PageUp')).toEqual({ row: 0, column: 6 });
  expect(go(middle, 'PageUp', { alt: true })).toEqual({ row: 5, column: 0 });
});

test('the heads can be reached, their corner and what is beyond cannot', () => {
  expect(go({ row: 0, column: 0 }, 'ArrowUp')).toEqual({ row: -1, column: 0 });
  expect(go({ row: -1, column: 0 }, 'ArrowLeft')).toEqual({ row: -1, column: 0 });
  expect(go({ row: 0, column: -1 }, 'ArrowUp')).toEqual({ row: -1, column: 0 });
  expect(go({ row: 19, column: 29 }, 'ArrowDown')).toEqual({ row: 19, column: 29 });
});

test('other keys, and Alt with an arrow, do not move', () => {
  expect(go(middle, 'a')).toBeUndefined();
  expect(go(middle, 'ArrowLeft', { alt: true })).toBeUndefined();
});
