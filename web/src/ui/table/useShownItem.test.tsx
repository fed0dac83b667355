import { afterEach, expect, spyOn, test } from 'bun:test';
import { cleanup, render, screen, waitFor } from '@testing-library/react';
import { memo, useRef } from 'react';
import { useShownItem } from './useShownItem.ts';

interface Item {
  readonly id: number;
  readonly text: string;
}

const Row = memo(function Row({ item }: { item: Item }) {
  const row = useRef<HTMLLIElement>(null);
  return <li ref={row}>{useShownItem(row, item).text}</li>;
});

afterEach(cleanup);

const rows = (items: readonly Item[]) => items.map((item) => <Row key={item.id} item={item} />);
const items = (text: string, count = 20): Item[] => Array.from({ length: count }, (_, id) => ({ id, text }));
const counted = (text: string) => screen.queryAllByText(text).length;

test('rows that all change at once follow a few in each frame, until all show their newest version', async () => {
  const frames: FrameRequestCallback[] = [];
  using _frames = spyOn(globalThis, 'requestAnimationFrame').mockImplementation((draw) => frames.push(draw));
  const page = render(rows(items('old')));
  expect(counted('old')).toBe(20);
  page.rerender(rows(items('new')));
  for (const count of [0, 8, 16, 20]) {
    await waitFor(() => expect(counted('new')).toBe(count));
    for (const draw of frames.splice(0)) draw(performance.now());
  }
});

test('a row shows the newest of several versions, and one that is removed meanwhile holds up no other', async () => {
  const page = render(rows(items('old')));
  page.rerender(rows(items('new')));
  page.rerender(rows(items('newest', 3)));
  await waitFor(() => expect(counted('newest')).toBe(3));
  expect(counted('new')).toBe(0);
});

test('a version that arrives while the one before it is being shown is shown, too', async () => {
  const frames: FrameRequestCallback[] = [];
  using _frames = spyOn(globalThis, 'requestAnimationFrame').mockImplementation((draw) => frames.push(draw));
  const page = render(rows(items('old', 1)));
  page.rerender(rows(items('new', 1)));
  await waitFor(() => expect(frames).toHaveLength(1));
  for (const draw of frames.splice(0)) draw(performance.now());
  // Before the row has rendered again.
  page.rerender(rows(items('newest', 1)));
  await waitFor(() => expect(frames.length).toBeGreaterThan(0));
  for (const draw of frames.splice(0)) draw(performance.now());
  await waitFor(() => expect(counted('newest')).toBe(1));
});
