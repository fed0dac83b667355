import { expect, test } from 'bun:test';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { useConfirm } from '../../../ui/overlay/confirm.ts';
import { answerCalls, renderPage } from '../../../ui/render-for-test.tsx';
import ClashPanel from './ClashPanel.tsx';

const side = (link: string, address: string, fingerprint: string) => ({
  ...{ link, address, fingerprint, name: 'Hall', model: 'Ultra Encode' },
  ...{ 'first-seen': 1_700_000_000_000, 'last-seen': 1_700_000_060_000 },
});
const clash = {
  ...{ id: 3, sn: 'B1', count: 2 },
  present: side('agent', '', 'aa'.repeat(32)),
  other: side('agent', '192.0.2.7', 'bb'.repeat(32)),
};

test('both sides are shown, and a decision is confirmed before it is sent', async () => {
  const asked = answerCalls({
    '/api/device/clash/list': { result: 0, list: [clash] },
    '/api/device/clash/decide': { result: 0 },
  });
  renderPage(<ClashPanel />);
  expect(await screen.findByText('aa'.repeat(32))).toBeTruthy();
  expect(screen.getByText('bb'.repeat(32))).toBeTruthy();
  expect(screen.getByText(/it has tried 2 times/)).toBeTruthy();
  const decided = () => asked.filter(({ path }) => path.endsWith('decide')).map(({ body }) => body);
  fireEvent.click(screen.getByRole('button', { name: 'Replace by the new one' }));
  expect(decided()).toEqual([]);
  await useConfirm.getState().open?.run(false);
  await waitFor(() => expect(decided()).toEqual([{ id: 3, choice: 'replace' }]));
});

test('nothing is shown without a conflict', async () => {
  answerCalls({ '/api/device/clash/list': { result: 0, list: [] } });
  renderPage(<ClashPanel />);
  expect(screen.queryByRole('list', { name: 'Serial number conflicts' })).toBeNull();
});
