import { expect, test } from 'bun:test';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { maskOf, type Permission } from '../../../../daemon/contract/permission.ts';
import type { SystemPart } from '../../../../daemon/contract/system.ts';
import { queryClient } from '../../api/query-client.ts';
import { sessionQuery } from '../../api/session.ts';
import { answerCalls, renderPage } from '../../ui/render-for-test.tsx';
import PartBanners from './PartBanners.tsx';

async function show(parts: readonly SystemPart[], permission: Permission) {
  const user = { name: 'ann', id: 2, 'group-name': '', permission: maskOf(permission), type: 4 };
  const asked = answerCalls({ '/api/session': { result: 0, user }, '/api/system/restart-part': { result: 0 } });
  renderPage(<PartBanners parts={parts} />);
  await waitFor(() => expect(queryClient.getQueryData(sessionQuery.queryKey)).toBeDefined());
  return asked;
}

const waiting: SystemPart[] = [
  { name: 'engine', ok: false, reason: 'starting', message: '' },
  { name: 'srt', ok: false, reason: 'failing', message: '' },
  { name: 'udp', ok: false, reason: 'missing', message: '' },
  { name: 'hls', ok: false, reason: 'crashed', message: '' },
];

test('a process that waits for its next start, and only such a part, has a button that starts it', async () => {
  const asked = await show(waiting, 'systemEdit');
  const buttons = await screen.findAllByRole('button', { name: 'Start now' });
  expect(buttons).toHaveLength(1);
  fireEvent.click(buttons[0]!);
  await waitFor(() =>
    expect(asked).toContainEqual({ path: '/api/system/restart-part', body: { name: 'srt', 'unless-running': true } }),
  );
});

test('a user who may not edit the system sees the banners without the button', async () => {
  await show(waiting, 'systemEdit');
  await screen.findByRole('button', { name: 'Start now' });
  // The code of the button is loaded now, so it would be shown at once.
  await show(waiting, 'systemView');
  expect(document.querySelectorAll('[data-tone]')).toHaveLength(waiting.length);
  expect(screen.queryAllByRole('button').length).toBe(0);
});

test('little memory has a banner that says how much is left and what to do', async () => {
  await show([{ name: 'memory', ok: false, reason: 'memoryLow', message: '', 'free-mb': 90 }], 'systemView');
  expect(await screen.findByText('Memory: low')).toBeTruthy();
  expect(await screen.findByText(/^Only 90 MB are available, so streams may stop\. End other programs/)).toBeTruthy();
});
