import { expect, test } from 'bun:test';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import type { Device } from '../../../../daemon/contract/devices.ts';
import { answerCalls, renderPage } from '../../ui/render-for-test.tsx';
import ConnectDialog from './ConnectDialog.tsx';

const device = { sn: 'A1', name: 'Roof', dir: 256 } as unknown as Device;
const channels = [
  { id: 7, name: 'Stadium' },
  { id: 8, name: 'Chapel' },
];

test('a connection is forced only after the hub has refused that very choice', async () => {
  const asked = answerCalls({
    '/api/channel/dashboard': { result: 0, start: 0, total: 2, list: channels },
    '/api/device/connect': { result: 1005, params: { by: 'Stadium' } },
  });
  renderPage(<ConnectDialog device={device} onClose={() => {}} />);
  const choose = async (name: string) => {
    await screen.findByRole('option', { name }, { timeout: 5000 });
    const id = String(channels.find((channel) => channel.name === name)?.id);
    fireEvent.change(screen.getByLabelText('Channel'), { target: { value: id } });
  };
  await choose('Stadium');
  fireEvent.click(screen.getByRole('button', { name: 'Connect' }));
  expect(await screen.findByRole('button', { name: 'Connect anyway' })).toBeTruthy();
  await choose('Chapel');
  fireEvent.click(screen.getByRole('button', { name: 'Connect' }));
  await waitFor(() => expect(asked.filter(({ path }) => path === '/api/device/connect')).toHaveLength(2));
  const bodies = asked.filter(({ path }) => path === '/api/device/connect').map(({ body }) => body);
  expect(bodies).toEqual([
    { sn: 'A1', channel: 7, dir: 'input' },
    { sn: 'A1', channel: 8, dir: 'input' },
  ]);
}, 15_000);
