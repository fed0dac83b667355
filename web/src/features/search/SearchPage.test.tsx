import { expect, test } from 'bun:test';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { maskOf } from '../../../../daemon/contract/permission.ts';
import { featureBits } from '../../../../daemon/contract/variant.ts';
import { answerCalls, renderPage } from '../../ui/render-for-test.tsx';
import SearchPage from './SearchPage.tsx';

const device = (sn: string, name: string, more: object = {}) => ({
  ...{ id: sn.length, sn, name, module: 2, 'module-name': 'Ultra Encode', 'catalog-id': 0, connection: 'online' },
  ...{ 'reg-state': 101, 'dev-warns': 0, status: { eth: '10.0.0.7', 'cur-status': 0 }, ...more },
});

async function show(list: readonly object[], total: number) {
  const permission = maskOf('deviceView', 'ioView');
  const user = { name: 'ann', id: 2, 'group-name': '', permission, type: 4 };
  const asked = answerCalls({
    '/api/session': { result: 0, user, 'feature-support': featureBits.devices },
    '/api/device/list': { result: 0, start: 0, total, list },
    '/api/input/source/list': {
      result: 0,
      list: [
        { id: 4, name: 'Roof feed' },
        { id: 5, name: 'Studio' },
      ],
    },
    '/api/output/list': { result: 0, list: [] },
    '/api/server/list': { result: 0, list: [] },
  });
  renderPage(<SearchPage />, { at: '/search?q=roof' });
  await waitFor(() => expect(screen.getByRole('searchbox')).toBeTruthy());
  return asked;
}

test('devices are found by the hub, other objects by name, and the arrow keys lead to them', async () => {
  await show([device('B313', 'Roof camera'), device('A1', 'Gate', { 'reg-state': 103 })], 70);
  const found = await screen.findByRole('link', { name: 'Roof camera' });
  expect(found.getAttribute('href')).toBe('/device/detail/B313');
  // One that waits for approval has no page.
  expect(screen.getByRole('link', { name: 'Gate' }).getAttribute('href')).toBe('/devices/pending?q=A1');
  expect(screen.getByRole('link', { name: 'All 70' }).getAttribute('href')).toBe('/devices/all?q=roof');
  expect((await screen.findByRole('link', { name: 'Roof feed' })).getAttribute('href')).toBe(
    '/stream/input?q=Roof+feed',
  );
  expect(screen.queryByRole('link', { name: 'Studio' })).toBeNull();
  expect(await screen.findByText('71 results')).toBeTruthy();
  const field = screen.getByRole('searchbox');
  expect(document.activeElement).toBe(field);
  fireEvent.keyDown(field, { key: 'ArrowDown' });
  expect(document.activeElement).toBe(found);
  fireEvent.keyDown(found, { key: 'ArrowUp' });
  expect(document.activeElement).toBe(field);
});

test('a text that nothing matches says so; an empty one asks nothing', async () => {
  const asked = await show([], 0);
  fireEvent.change(screen.getByRole('searchbox'), { target: { value: 'xyz' } });
  expect(await screen.findByText('Nothing matches the search')).toBeTruthy();
  const before = asked.length;
  fireEvent.change(screen.getByRole('searchbox'), { target: { value: '' } });
  expect(await screen.findByText('Search the whole hub')).toBeTruthy();
  expect(asked.slice(before).filter(({ path }) => path === '/api/device/list')).toEqual([]);
});
