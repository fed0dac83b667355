import { expect, test } from 'bun:test';
import { act, screen } from '@testing-library/react';
import type { SystemStatus } from '../../../../daemon/contract/system.ts';
import { queryClient } from '../../api/query-client.ts';
import { renderPage } from '../../ui/render-for-test.tsx';
import { systemStatusQuery } from '../system/system-query.ts';
import { LicenseNote } from './LicenseNote.tsx';

function show(enabled: number): void {
  const system = {
    channel: { 'enable-num': enabled, 'limit-num': 4 },
    output: { 'enable-num': 1, 'limit-num': 2 },
    srt: { 'used-num': 0, 'limit-num': 1 },
  };
  renderPage(<LicenseNote of={['channels', 'outputs', 'srt']} />);
  act(() => void queryClient.setQueryData(systemStatusQuery.queryKey, { system } as SystemStatus));
}

test('a used-up license is shown with its limit', async () => {
  show(4);
  expect(await screen.findByText(/limit of 4 enabled channels is reached/)).toBeTruthy();
  expect(screen.queryByText(/outputs/)).toBeNull();
});

test('nothing is shown while the limit is not reached', () => {
  show(3);
  expect(screen.queryByText(/license/)).toBeNull();
});
