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

test('a silent channel is marked with how long it has been silent, for screen readers, too', async () => {
  const silent = { now: -60, peak: -60, silentMs: 12_400 };
  const heard = { now: -11.7, peak: -7.2, silentMs: 0 };
  renderPage(<LevelMeters count={2} levels={() => [silent, heard]} />);
  expect(await screen.findByText('Silent 12 s')).toBeTruthy();
  const texts = screen.getAllByRole('meter').map((meter) => meter.getAttribute('aria-valuetext'));
  expect(texts).toEqual(['silent for 12 s', '-12 dBFS, peak -7 dBFS']);
  expect(screen.getByText('-7')).toBeTruthy();
  expect(screen.getByText('Silent: Left').getAttribute('aria-live')).toBe('polite');
});

test('what is not measured is not called silent', async () => {
  renderPage(<LevelMeters count={1} levels={() => undefined} />);
  expect(screen.getByRole('meter').getAttribute('aria-valuetext')).toBe('not measured');
  expect(screen.queryByText(/^Silent/)).toBeNull();
});
