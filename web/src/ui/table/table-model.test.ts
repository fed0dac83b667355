import { expect, test } from 'bun:test';
import { i18n } from '@lingui/core';
import { type Column, nameColumn } from './column.ts';
import { tableModel } from './table-model.ts';

interface Row {
  readonly id: number;
  readonly name: string;
  readonly kbps: number;
}

const columns: readonly Column<Row>[] = [
  nameColumn,
  { key: 'rate', title: { id: 'rate' }, cell: () => null, sortValue: ({ kbps }) => kbps },
  { key: 'plain', title: { id: 'plain' }, cell: () => null },
];
const items = [
  { id: 1, name: 'Cam 10', kbps: 5 },
  { id: 2, name: 'cam 9', kbps: 30 },
  { id: 3, name: 'Studio', kbps: 5 },
];
const states = [
  { key: 'slow', title: { id: 'slow' }, has: ({ kbps }: Row) => kbps < 10 },
  { key: 'fast', title: { id: 'fast' }, has: ({ kbps }: Row) => kbps >= 10 },
];
const none = { search: '', state: '', sort: undefined, page: 0 };
const ids = (address: object, pageSize = 50) => {
  const model = tableModel({ columns, items, address: { ...none, ...address }, states, i18n, pageSize });
  return { ids: model.rows.map(({ id }) => id), matching: model.matching };
};

test('without a search and an order the rows stay as they are', () => {
  expect(ids({})).toEqual({ ids: [1, 2, 3], matching: 3 });
});

test('the search ignores case and looks only at the columns that are searched', () => {
  expect(ids({ search: 'CAM' })).toEqual({ ids: [1, 2], matching: 2 });
  expect(ids({ search: '30' })).toEqual({ ids: [], matching: 0 });
});

test('a state is one more condition; an unknown one is none', () => {
  expect(ids({ state: 'slow' })).toEqual({ ids: [1, 3], matching: 2 });
  expect(ids({ state: 'slow', search: 'studio' })).toEqual({ ids: [3], matching: 1 });
  expect(ids({ state: 'gone' }).ids).toEqual([1, 2, 3]);
});

test('numbers within names sort as numbers, and equal rows keep their order both ways', () => {
  expect(ids({ sort: { key: 'name', isDescending: false } }).ids).toEqual([2, 1, 3]);
  expect(ids({ sort: { key: 'rate', isDescending: false } }).ids).toEqual([1, 3, 2]);
  expect(ids({ sort: { key: 'rate', isDescending: true } }).ids).toEqual([2, 1, 3]);
});

test('a column without an order, and one of another version, sort nothing', () => {
  expect(ids({ sort: { key: 'plain', isDescending: true } }).ids).toEqual([1, 2, 3]);
  expect(ids({ sort: { key: 'gone', isDescending: true } }).ids).toEqual([1, 2, 3]);
});

test('a page holds its part of what matches; a page beyond the last is empty', () => {
  expect(ids({ page: 1 }, 2)).toEqual({ ids: [3], matching: 3 });
  expect(ids({ page: 7 }, 2)).toEqual({ ids: [], matching: 3 });
});
