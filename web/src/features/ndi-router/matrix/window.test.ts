import { expect, test } from 'bun:test';
import { blocksOf, offsetToShow, windowOf } from './window.ts';

const size = 40;
const block = 8;

test('every line that is visible is drawn, wherever the matrix is scrolled, and few others', () => {
  const count = 256;
  const length = 700;
  for (let offset = 0; offset <= count * size - length; offset += 7) {
    const { from, to } = windowOf({ offset, length, size, count, block });
    expect(from * size).toBeLessThanOrEqual(offset);
    expect(Math.min(count * size, to * size)).toBeGreaterThanOrEqual(Math.min(count * size, offset + length));
    expect(to - from).toBeLessThanOrEqual(Math.ceil(length / size) + 4 * block);
  }
});

test('the window moves by blocks, so a scroll within one changes nothing', () => {
  const at = (offset: number) => windowOf({ offset, length: 600, size, count: 256, block });
  expect(at(block * size * 3)).toEqual(at(block * size * 3 + 1));
  expect(at(block * size * 3)).not.toEqual(at(block * size * 4));
});

test('a matrix that has become smaller than what was scrolled still shows its last lines', () => {
  expect(windowOf({ offset: 9000, length: 600, size, count: 10, block })).toEqual({ from: 8, to: 10 });
  expect(windowOf({ offset: 0, length: 600, size, count: 0, block })).toEqual({ from: 0, to: 0 });
});

test('blocks cover their range, and the last one ends with it', () => {
  expect(blocksOf({ from: 8, to: 27 }, block)).toEqual([
    { from: 8, to: 16 },
    { from: 16, to: 24 },
    { from: 24, to: 27 },
  ]);
});

test('a line is shown with as little scrolling as possible', () => {
  const view = { offset: 400, length: 200, size };
  expect(offsetToShow(12, view)).toBe(400);
  expect(offsetToShow(5, view)).toBe(200);
  expect(offsetToShow(20, view)).toBe(640);
});
