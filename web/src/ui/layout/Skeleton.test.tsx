import { expect, test } from 'bun:test';
import { renderPage } from '../render-for-test.tsx';
import { PageSkeleton } from './Skeleton.tsx';

/** Width and height of each bone, by the element around it. */
function bones(of: 'table' | 'tiles'): Record<string, string[]> {
  renderPage(<PageSkeleton of={of} />);
  const all = [...document.querySelectorAll<HTMLElement>('.bone')];
  const groups = Object.groupBy(all, (bone) => bone.parentElement?.className ?? '');
  return Object.fromEntries(
    Object.entries(groups).map(([name, list = []]) => [
      name,
      list.map(({ style }) => `${style.width} ${style.height}`),
    ]),
  );
}

test('the skeleton of a table has a title, a search field and rows of full width', () => {
  const { page, row } = bones('table');
  expect(page).toEqual(['180px 26px']);
  expect(row?.[0]).toBe('36% 18px');
  expect(row?.slice(1)).toEqual(Array.from({ length: 12 }, () => '100% 18px'));
});

test('the skeleton of tiles has a title, four tiles and a panel', () => {
  const { page, tiles } = bones('tiles');
  expect(page).toEqual(['180px 26px', '100% 260px']);
  expect(tiles).toHaveLength(4);
});
