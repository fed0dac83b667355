import { beforeEach, expect, test } from 'bun:test';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import { useToasts } from '../../ui/feedback/toasts.ts';
import { answerCalls, renderPage } from '../../ui/render-for-test.tsx';
import InputChoiceDialog from './InputChoiceDialog.tsx';

const input = { role: 'main', id: 0, name: '', kbps: 900, 'conn-state': 10 };
const channel = {
  ...{ id: 7, name: 'Roof', state: 'live', revision: 3, input, config: { enable: true } },
  outputs: { total: 2, list: [{ kbps: 100 }, { kbps: 0 }] },
  clients: { total: 3, list: [] },
} as unknown as Channel;
const config = { url: 'srt://10.0.0.5:9000' };
const inputs = [
  { id: 4, name: 'Uplink', protocol: 2, config },
  { id: 5, name: 'Spare', protocol: 2, config },
];

beforeEach(() => useToasts.setState({ list: [] }));

function open(shown: Channel) {
  const asked = answerCalls({
    '/api/input/source/list': { result: 0, start: 0, total: 2, list: inputs },
    '/api/channel/dashboard': { result: 0, start: 0, total: 1, list: [shown] },
    '/api/channel/input/set': { result: 0, revision: 4 },
  });
  let closed = 0;
  renderPage(<InputChoiceDialog channel={shown} onClose={() => closed++} />);
  const changes = () => asked.filter(({ path }) => path === '/api/channel/input/set').map(({ body }) => body);
  return { changes, closed: () => closed };
}

test('a choice changes nothing until the button is pressed, and can be undone afterwards', async () => {
  const { changes, closed } = open(channel);
  const button = screen.getByRole('button', { name: 'Switch input' });
  expect(button.hasAttribute('disabled')).toBe(true);
  fireEvent.click(await screen.findByRole('radio', { name: /^Spare/ }));
  expect(changes()).toEqual([]);
  fireEvent.click(button);
  await waitFor(() => expect(closed()).toBe(1));
  expect(changes()).toEqual([{ id: 7, input: 5 }]);

  const toast = useToasts.getState().list.find(({ undo }) => undo !== undefined);
  toast!.undo!();
  // The revision makes the hub refuse if somebody else has changed the channel since.
  await waitFor(() =>
    expect(changes()).toEqual([
      { id: 7, input: 5 },
      { id: 7, input: 0, revision: 4 },
    ]),
  );
});

test('a live channel says who loses the stream', () => {
  open(channel);
  expect(screen.getByText('This channel is live. 1 output and 3 players will lose the stream.')).toBeTruthy();
  open({ ...channel, state: 'waiting' });
  expect(screen.queryByText(/will lose the stream/)).toBeNull();
});

test('the backup cannot be chosen as main input', async () => {
  const backup = { ...input, role: 'backup', id: 5 };
  open({ ...channel, failover: { active: 'main', main: input, backup } } as unknown as Channel);
  await screen.findByRole('radio', { name: /^Uplink/ });
  expect(screen.queryByRole('radio', { name: /^Spare/ })).toBeNull();
});
