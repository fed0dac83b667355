import { expect, test } from 'bun:test';
import { screen, waitFor } from '@testing-library/react';
import { maskOf } from '../../../../daemon/contract/permission.ts';
import { featureBits } from '../../../../daemon/contract/variant.ts';
import { queryClient } from '../../api/query-client.ts';
import { sessionQuery } from '../../api/session.ts';
import { answerCalls, renderPage } from '../../ui/render-for-test.tsx';
import { DeviceTiles } from './DeviceTiles.tsx';

const counts = {
  ...{
    'num-all': 12,
    'num-online': 9,
    'num-offline': 2,
    'num-warn': 3,
    'num-pending': 1,
    'num-rejected': 0,
    'num-clash': 0,
  },
  'limit-num': 5000,
};

async function show(initial: typeof counts, permission: number) {
  const user = { name: 'ann', id: 2, 'group-name': '', permission, type: 4 };
  answerCalls({ '/api/session': { result: 0, user, 'feature-support': featureBits.devices } });
  renderPage(<DeviceTiles initial={initial} />);
  await waitFor(() => expect(queryClient.getQueryData(sessionQuery.queryKey)).toBeDefined());
}

test('each number of devices leads to the list of them', async () => {
  await show(counts, maskOf('deviceView'));
  const links = await screen.findAllByRole('link');
  expect(links.map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
    ['9of 12 devices online', '/devices/all'],
    ['2Offline', '/devices/all?state=offline'],
    ['3With a warning', '/devices/warning'],
    ['1Pending approval', '/devices/pending'],
  ]);
});

test('nothing is shown without devices, or without the permission to see them', async () => {
  await show({ ...counts, 'num-all': 0, 'num-pending': 0 }, maskOf('deviceView'));
  expect(screen.queryAllByRole('link')).toEqual([]);
  await show(counts, maskOf('channelView'));
  expect(screen.queryAllByRole('link')).toEqual([]);
});
