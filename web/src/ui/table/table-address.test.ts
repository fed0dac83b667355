import { expect, test } from 'bun:test';
import { changeTableAddress, parseTableAddress } from './table-address.ts';

test('an empty address means no search, no order and the first page', () => {
  expect(parseTableAddress(new URLSearchParams())).toEqual({ search: '', state: '', sort: undefined, page: 0 });
});

test('search, order and page survive the round trip through the address', () => {
  const query = changeTableAddress(new URLSearchParams('dialog=add'), {
    search: 'roof',
    state: 'failed',
    sort: { key: 'rate', isDescending: true },
    page: 2,
  });
  expect(query.toString()).toBe('dialog=add&q=roof&state=failed&sort=-rate&page=3');
  expect(parseTableAddress(query)).toEqual({
    search: 'roof',
    state: 'failed',
    sort: { key: 'rate', isDescending: true },
    page: 2,
  });
});

test('a new search or state goes back to the first page', () => {
  expect(changeTableAddress(new URLSearchParams('q=a&page=4'), { state: 'live' }).toString()).toBe('q=a&state=live');
  expect(changeTableAddress(new URLSearchParams('state=live&page=4'), { state: '' }).toString()).toBe('');
  expect(changeTableAddress(new URLSearchParams('q=a&page=4'), { search: 'b' }).toString()).toBe('q=b');
});

test('an invalid page number is the first page', () => {
  expect(parseTableAddress(new URLSearchParams('page=-3')).page).toBe(0);
  expect(parseTableAddress(new URLSearchParams('page=x')).page).toBe(0);
});
