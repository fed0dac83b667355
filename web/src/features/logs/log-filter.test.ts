import { expect, test } from 'bun:test';
import { countFilters, momentOf, noFilter, parseLogFilter } from './log-filter.ts';

test('the address contains the filters; invalid values are ignored', () => {
  const query = new URLSearchParams('result=failure&user=ann&from=2026-01-02T03:04&level=warn,error');
  expect(parseLogFilter(query)).toEqual({
    ...{ search: '', from: '2026-01-02T03:04', to: '', user: 'ann', result: 'failure', level: 'warn,error' },
  });
  expect(parseLogFilter(new URLSearchParams('result=maybe')).result).toBe('');
});

test('the last minute is included completely', () => {
  const from = momentOf('2026-01-02T03:04') ?? 0;
  expect((momentOf('2026-01-02T03:04', true) ?? 0) - from).toBe(59_999);
  expect(momentOf('')).toBeUndefined();
  expect(momentOf('yesterday')).toBeUndefined();
});

test('the search is counted separately from the filters', () => {
  expect(countFilters({ ...noFilter, search: 'x' })).toBe(0);
  expect(countFilters({ ...noFilter, search: 'x', user: 'ann', to: '2026-01-02T03:04' })).toBe(2);
});
