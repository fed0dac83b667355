import { expect, test } from 'bun:test';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import type { Channel, ChannelInput } from '../../../../../daemon/contract/channels.ts';
import { defaultFailover } from '../../../../../daemon/contract/failover.ts';
import { answerCalls, renderPage } from '../../../ui/render-for-test.tsx';
import FailoverDialog from './FailoverDialog.tsx';

const input: ChannelInput = {
  ...{ role: 'main', id: 1001, name: 'Camera', type: 258, protocol: 4, addr: '', 'conn-state': 10, state: 2 },
  ...{ kbps: 0, 'total-bytes': 0, 'living-time-s': 0, reconnects: 0 },
};
const channel = { id: 7, name: 'Studio', input, config: {}, revision: 4 } as Channel;
const list = [1001, 1002].map((id) => ({ id, name: `Input ${id}` }));

test('the backup is another input, with a default rule', async () => {
  const asked = answerCalls({ '/api/input/source/list': { result: 0, list } });
  let isClosed = false;
  const close = () => {
    isClosed = true;
  };
  renderPage(<FailoverDialog channel={channel} onClose={close} />);
  expect(screen.queryByLabelText('Backup mode')).toBeNull();
  await screen.findByRole('option', { name: 'Input 1002' });
  expect(screen.queryByRole('option', { name: 'Input 1001' })).toBeNull();
  fireEvent.change(screen.getByLabelText('Backup input'), { target: { value: '1002' } });
  fireEvent.change(await screen.findByLabelText('If both inputs are lost'), { target: { value: 'bars' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(isClosed).toBe(true));
  const failover = { ...defaultFailover, slate: 'bars' };
  expect(asked.filter(({ path }) => path.endsWith('/set'))).toEqual([
    { path: '/api/channel/input/set', body: { id: 7, revision: 4, input: 1001, backup: 1002, failover } },
  ]);
});

test('a slate with a picture requires one', async () => {
  const asked = answerCalls({ '/api/input/source/list': { result: 0, list } });
  renderPage(<FailoverDialog channel={channel} onClose={() => {}} />);
  await screen.findByRole('option', { name: 'Input 1002' });
  fireEvent.change(screen.getByLabelText('Backup input'), { target: { value: '1002' } });
  fireEvent.change(await screen.findByLabelText('If both inputs are lost'), { target: { value: 'picture' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Required')).toBeTruthy();
  expect(asked.filter(({ path }) => path.endsWith('/set'))).toEqual([]);
});
