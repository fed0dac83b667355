import { beforeEach, expect, test } from 'bun:test';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import type { Channel } from '../../../../../daemon/contract/channels.ts';
import { useToasts } from '../../../ui/feedback/toasts.ts';
import { answerCalls, renderPage } from '../../../ui/render-for-test.tsx';
import ChannelDecoders from './ChannelDecoders.tsx';
import DeviceChoiceDialog from './DeviceChoiceDialog.tsx';

const channel = { id: 7, name: 'Studio' } as unknown as Channel;
const device = (sn: string, more: object) => ({
  ...{ sn, name: `Device ${sn}`, 'module-name': 'Model', 'reg-state': 101, connection: 'online', 'dev-warns': 0 },
  ...{ dir: 512, 'connect-dir': 512 },
  ...more,
});
const devices = [
  device('FREE', {}),
  device('BUSY', { 'owner-o': ['Hall'], 'owner-o-d': [8] }),
  device('HERE', { 'owner-o': ['Studio'], 'owner-o-d': [7] }),
  device('AUDIO', { 'connect-dir': 0 }),
  device('OFF', { connection: 'offline', problem: 'unreachable' }),
];

beforeEach(() => useToasts.setState({ list: [] }));

function answer() {
  const asked = answerCalls({
    '/api/device/list': { result: 0, start: 0, total: 53, list: devices },
    '/api/device/connect': { result: 0 },
  });
  return () => asked.filter(({ path }) => path === '/api/device/connect').map(({ body }) => body);
}

test('a decoder is chosen; what cannot be chosen says why', async () => {
  const connected = answer();
  let closed = 0;
  renderPage(<DeviceChoiceDialog channel={channel} dir="output" losers={undefined} onClose={() => closed++} />);
  const radios = await screen.findAllByRole('radio');
  expect(radios.map((radio) => radio.hasAttribute('disabled'))).toEqual([false, false, true, true, true]);
  for (const text of [/plays this channel already/, /choose the channel on the device/, /Not reachable/, /3 more/]) {
    expect(screen.getByText(text)).toBeTruthy();
  }
  const button = screen.getByRole('button', { name: 'Send to it' });
  expect(button.hasAttribute('disabled')).toBe(true);
  fireEvent.click(screen.getByRole('radio', { name: /^Device BUSY/ }));
  expect(screen.getByText('“Device BUSY” stops playing “Hall”.')).toBeTruthy();
  fireEvent.click(screen.getByRole('radio', { name: /^Device FREE/ }));
  expect(screen.queryByText(/stops playing/)).toBeNull();
  fireEvent.click(button);
  await waitFor(() => expect(closed).toBe(1));
  expect(connected()).toEqual([{ sn: 'FREE', channel: 7, dir: 'output', force: true }]);
});

test('the end of a playback can be undone', async () => {
  const connected = answer();
  renderPage(<ChannelDecoders channel={7} mayStop />);
  fireEvent.click(await screen.findByRole('button', { name: 'End the playback on Device HERE' }));
  await waitFor(() => expect(connected()).toEqual([{ sn: 'HERE', channel: 0, dir: 'output' }]));
  await waitFor(() => expect(useToasts.getState().list).toHaveLength(1));
  useToasts.getState().list[0]!.undo!();
  await waitFor(() => expect(connected().at(-1)).toEqual({ sn: 'HERE', channel: 7, dir: 'output' }));
});
