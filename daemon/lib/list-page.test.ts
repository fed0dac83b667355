import { expect, test } from 'bun:test';
import { type ListQuery, pageOf } from './list-page.ts';

const rows = ['Studio 10', 'studio 2', 'Arena', 'Gate'].map((name, at) => ({ id: 4 - at, name }));
const names = (query: ListQuery) => pageOf(rows, query).list.map(({ name }) => name);

test('the default order is the newest first', () => {
  expect(names({})).toEqual(['Gate', 'Arena', 'studio 2', 'Studio 10']);
});

test('by name, numbers sort as numbers and case is ignored', () => {
  expect(names({ sort: 'name' })).toEqual(['Arena', 'Gate', 'studio 2', 'Studio 10']);
  expect(names({ sort: 'name', order: 'descending' })).toEqual(['Studio 10', 'studio 2', 'Gate', 'Arena']);
});

test('an order without a sort is refused', () => {
  expect(() => names({ order: 'ascending' })).toThrow('order requires sort=name');
});

test('a key finds parts of names in any case, and sorting is ignored', () => {
  expect(names({ key: 'STUDIO', sort: 'name', order: 'descending' })).toEqual(['studio 2', 'Studio 10']);
  expect(names({ key: 'a', order: 'descending' })).toEqual(['Gate', 'Arena']);
  expect(names({ key: '%' })).toEqual([]);
});

test('a page contains its start and the total number', () => {
  expect(pageOf(rows, { start: 1, count: 2 })).toMatchObject({ start: 1, total: 4 });
  expect(names({ start: 1, count: 2 })).toEqual(['Arena', 'studio 2']);
  expect(pageOf(rows, { start: 9 })).toEqual({ start: 9, total: 4, list: [] });
  expect(
    pageOf(
      Array.from({ length: 300 }, (_, id) => ({ id, name: 'x' })),
      {},
    ).list,
  ).toHaveLength(300);
  expect(pageOf(rows, { key: 'studio', count: 1 })).toMatchObject({ total: 2 });
});
