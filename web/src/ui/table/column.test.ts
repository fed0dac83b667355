import { expect, test } from 'bun:test';
import { type Column, fittingColumns, leastWidth, nameColumn } from './column.ts';

const column = (key: string, more: Partial<Column<{ name: string }>> = {}): Column<{ name: string }> => ({
  key,
  title: { id: key },
  cell: () => null,
  width: 100,
  ...more,
});
const columns = [
  column('state', { onCard: 'state' }),
  nameColumn,
  column('rate', { priority: 1 }),
  column('time'),
  column('players'),
];
const keysIn = (room: number) => fittingColumns(columns, room).map(({ key }) => key);

test('a column without a width needs enough room for a name', () => {
  expect(leastWidth(columns)).toBe(580);
  expect(leastWidth([{ key: 'address', title: { id: 'address' }, cell: () => null, minWidth: 220 }])).toBe(220);
});

test('all columns are shown where there is room for them', () => {
  expect(fittingColumns(columns, 580)).toBe(columns);
});

test('the last column gives way first, one of a higher priority after the others', () => {
  expect(keysIn(579)).toEqual(['state', 'name', 'rate', 'time']);
  expect(keysIn(479)).toEqual(['state', 'name', 'rate']);
  expect(keysIn(379)).toEqual(['state', 'name']);
});

test('title and state never give way', () => {
  expect(keysIn(10)).toEqual(['state', 'name']);
});
