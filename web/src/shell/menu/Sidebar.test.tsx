import { expect, test } from 'bun:test';
import { screen, waitFor } from '@testing-library/react';
import { maskOf, type Permission } from '../../../../daemon/contract/permission.ts';
import { queryClient } from '../../api/query-client.ts';
import { sessionQuery } from '../../api/session.ts';
import { paths } from '../../lib/paths.ts';
import { answerCalls, renderPage } from '../../ui/render-for-test.tsx';
import { MenuBadge } from './Sidebar.tsx';

const counts = {
  ...{ 'num-all': 10, 'num-online': 0, 'num-offline': 0, 'num-warn': 0, 'num-pending': 0, 'num-rejected': 0 },
  'num-clash': 0,
};

async function show(path: string, more: object, permission: Permission = 'deviceView') {
  const user = { name: 'ann', id: 2, 'group-name': '', permission: maskOf(permission), type: 4 };
  answerCalls({ '/api/session': { result: 0, user }, '/api/system/status': { result: 0, status: {} } });
  renderPage(<MenuBadge path={path} />);
  await waitFor(() => expect(queryClient.getQueryData(sessionQuery.queryKey)).toBeDefined());
  queryClient.setQueryData(['devices', 'counts'], { ...counts, 'limit-num': 10, ...more });
}

test('the menu counts waiting devices and those with a warning, up to 9999', async () => {
  await show(paths.pendingDevices, { 'num-pending': 12 });
  expect((await screen.findByRole('img', { name: '12 waiting' })).textContent).toBe('12');
  await show(paths.warningDevices, { 'num-warn': 9999 });
  expect(await screen.findByText('9,999')).toBeTruthy();
  await show(paths.warningDevices, { 'num-warn': 10_000 });
  expect(await screen.findByText('9999+')).toBeTruthy();
});

test('serial number conflicts wait for those who decide them', async () => {
  await show(paths.pendingDevices, { 'num-pending': 1, 'num-clash': 2 }, 'deviceAdvanced');
  expect(await screen.findByRole('img', { name: '3 waiting' })).toBeTruthy();
});

test('others are not told of serial number conflicts', async () => {
  await show(paths.pendingDevices, { 'num-pending': 1, 'num-clash': 2 });
  expect(await screen.findByRole('img', { name: '1 waiting' })).toBeTruthy();
});

test('more devices than the license allows are marked, with the numbers in a tooltip', async () => {
  await show(paths.devices, { 'num-all': 11 });
  expect(await screen.findByTitle('11 in use, the license allows 10')).toBeTruthy();
  await show(paths.devices, {});
  await waitFor(() => expect(screen.queryByRole('img')).toBeNull());
});
