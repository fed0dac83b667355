import { expect, test } from 'bun:test';
import { changeTableAddress, parseTableAddress } from './table-address.ts';

test('an empty address means no search, no order and the first page', () => {
  expect(parseTableAddress(new URLSearchParams())).toEqual({ search: '', sort: undefined, page: 0 });
});

test('search, order and page survive the round trip through the address', () => {
  const query = changeTableAddress(new URLSearchParams('dialog=add'), {
    search: 'roof',
    sort: { key: 'rate', isDescending: true },
    page: 2,
  });
  expect(query.toString()).toBe('dialog=add&q=roof&sort=-rate&page=3');
  expect(parseTableAddress(query)).toEqual({ search: 'roof', sort: { key: 'rate', isDescending: true }, page: 2 });
});

test('a new search goes back to the first page', () => {
  expect(changeTableAddress(new URLSearchParams('q=a&page=4'), { search: 'b' }).toString()).toBe('q=b');
});

test('an invalid page number is the first page', () => {
  expect(parseTableAddress(new URLSearchParams('page=-3')).page).toBe(0);
  expect(parseTableAddress(new URLSearchParams('page=x')).page).toBe(0);
});
