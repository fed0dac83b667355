import { expect, test } from 'bun:test';
import type { Column } from './column.ts';
import { moveColumn, orderedColumns, type TableSettings, toggleColumn } from './column-choice.ts';

const column = (key: string): Column<unknown> => ({ key, title: { id: key }, cell: () => null });
const columns = ['state', 'name', 'rate'].map(column);
const settings: TableSettings = { hidden: [], order: [], pageSize: 50 };
const keys = (choice: TableSettings) => orderedColumns(columns, choice).map(({ key }) => key);

test('without a choice the default order applies', () => {
  expect(keys(settings)).toEqual(['state', 'name', 'rate']);
});

test('a column moves by one place and stops at the ends', () => {
  const moved = moveColumn(columns, settings, { key: 'rate', by: -1 });
  expect(keys(moved)).toEqual(['state', 'rate', 'name']);
  expect(moveColumn(columns, moved, { key: 'state', by: -1 })).toBe(moved);
});

test('a column that was added by a later version is last', () => {
  expect(keys({ ...settings, order: ['rate', 'state'] })).toEqual(['rate', 'state', 'name']);
});

test('a column is hidden and shown again', () => {
  const hidden = toggleColumn(settings, 'rate');
  expect(hidden.hidden).toEqual(['rate']);
  expect(toggleColumn(hidden, 'rate').hidden).toEqual([]);
});
