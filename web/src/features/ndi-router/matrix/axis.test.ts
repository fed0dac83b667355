import { expect, test } from 'bun:test';
import { axisOf, type Line } from './axis.ts';

const item = (id: number, group = '') => ({ id, group, words: `${id} Cam ${id} ${group}` });
const shown = (lines: readonly Line[]) =>
  lines.map((line) =>
    line.kind === 'item' ? line.id : line.kind === 'none' ? '-' : `${line.group.name}/${line.group.count}`,
  );
const plain = { folded: new Set<string>(), filter: '', hasNone: false, hasHeadings: true };

test('items without groups have neither headings nor spans', () => {
  const axis = axisOf([item(1), item(2)], { ...plain, hasNone: true });
  expect(shown(axis.lines)).toEqual(['-', 1, 2]);
  expect(axis.spans).toEqual([]);
  expect([...axis.at]).toEqual([
    [1, 1],
    [2, 2],
  ]);
});

test('groups keep the order of their first item, and what has no group comes last', () => {
  const items = [item(1), item(2, 'B'), item(3, 'A'), item(4, 'B')];
  expect(shown(axisOf(items, plain).lines)).toEqual(['B/2', 2, 4, 'A/1', 3, '/1', 1]);
  const { lines, spans } = axisOf(items, { ...plain, hasNone: true, hasHeadings: false });
  expect(shown(lines)).toEqual(['-', 2, 4, 3, 1]);
  expect(spans.map(({ group, from, to }) => [group.name, from, to])).toEqual([
    ['B', 1, 3],
    ['A', 3, 4],
    ['', 4, 5],
  ]);
});

test('a folded group is one line, and the lines after it move up', () => {
  const items = [item(1, 'A'), item(2, 'A'), item(3, 'B')];
  const { lines, spans, at } = axisOf(items, { ...plain, folded: new Set(['A']), hasHeadings: false });
  expect(shown(lines)).toEqual(['A/2', 3]);
  expect(spans[0]).toMatchObject({ from: 0, to: 1, group: { isFolded: true } });
  expect(at.get(1)).toBeUndefined();
  expect(at.get(3)).toBe(1);
});

test('a filter finds every word, in any case, and opens a folded group', () => {
  const items = [item(1, 'Studio'), item(2, 'Studio'), item(3, 'Truck')];
  const axis = axisOf(items, { ...plain, folded: new Set(['Studio', 'Truck']), filter: ' STUDIO cam  2' });
  expect(shown(axis.lines)).toEqual(['Studio/1', 2]);
});

test('a group of which the filter leaves nothing is not shown', () => {
  expect(axisOf([item(1, 'A')], { ...plain, filter: 'none of these' }).lines).toEqual([]);
});
