import { expect, test } from 'bun:test';
import { screen } from '@testing-library/react';
import { renderPage } from '../../ui/render-for-test.tsx';
import { LevelMeters } from './LevelMeters.tsx';

function metersOf(count: number): (string | null)[] {
  renderPage(<LevelMeters count={count} levels={() => undefined} />);
  return screen.getAllByRole('meter').map((meter) => meter.getAttribute('aria-label'));
}

test('there is one meter for each audio channel, with its name', () => {
  expect(metersOf(1)).toEqual(['Level Mono in dBFS']);
  expect(metersOf(2)).toEqual(['Level Left in dBFS', 'Level Right in dBFS']);
  expect(metersOf(6)).toHaveLength(6);
  expect(metersOf(4)[3]).toBe('Level Channel 4 in dBFS');
  expect(metersOf(16)).toHaveLength(8);
  expect(screen.getByText('dBFS')).toBeTruthy();
});
