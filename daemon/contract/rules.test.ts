import { expect, test } from 'bun:test';
import { limits } from './limits.ts';
import { PageCount } from './rules.ts';

test('a larger count than a page holds is a full page', () => {
  expect(PageCount.parse('20')).toBe(20);
  expect(PageCount.parse('1000000')).toBe(limits.page.max);
  expect(PageCount.parse('2.5')).toBe(2);
  expect(PageCount.safeParse('0').success).toBe(false);
  // Lists of objects are whole without a count, so a page must hold the longest of them.
  expect(limits.page.max).toBeGreaterThanOrEqual(Math.max(limits.channels, limits.inputs, limits.outputs));
});
