import { expect, test } from 'bun:test';
import { sparklinePath, thin } from './sparkline-path.ts';

test('a curve starts at the left edge and ends at the right edge', () => {
  const { line } = sparklinePath([0, 5, 10], { width: 100, height: 20, max: 10 });
  expect(line).toBe('M0 20L50 10L100 0');
});

test('an unknown value breaks the curve into two', () => {
  const { line, area } = sparklinePath([1, 1, null, 1, 1], { width: 40, height: 10, max: 1 });
  expect(line.match(/M/g)).toHaveLength(2);
  expect(area.match(/Z/g)).toHaveLength(2);
});

test('thinning keeps the mean and the gaps', () => {
  expect(thin([1, 3, null, null, 5, 5], 3)).toEqual([2, null, 5]);
  expect(thin([1, 2], 3)).toEqual([1, 2]);
});
