import { afterAll, beforeAll, expect, test } from 'bun:test';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { type ReactNode, useState } from 'react';
import type { Channel } from '../../../../../daemon/contract/channels.ts';
import { queryClient } from '../../../api/query-client.ts';
import type { DialogAddress } from '../../../ui/overlay/dialog-address.ts';
import { answerCalls, renderPage } from '../../../ui/render-for-test.tsx';
import AddressLists from '../AddressLists.tsx';
import EncoderGuide from './EncoderGuide.tsx';
import { FirstStream, useFirstStream } from './FirstStream.tsx';

const openedAs = (host: string) => Reflect.get(window, 'happyDOM').setURL(`http://${host}/`);
beforeAll(() => openedAs('localhost:8880'));
afterAll(() => openedAs('hub.test'));

const channel = {
  ...{ id: 7, name: 'Roof', state: 'waiting', revision: 1 },
  config: { enable: true, 'push-key': 'PUSH-secret', 'play-key': 'p', protocol: { rtmp: true, srt: true } },
  input: { id: 0 },
} as Channel;

const ports = { rtmp: 1935, srt: 8000, hls: 8080 };
const user = { name: 'ann', id: 2, 'group-name': '', permission: 0xffffffff, type: 1 };

function show(children: ReactNode, history: object = { list: [] }) {
  const status = { system: { ports, addresses: ['10.0.0.20', '10.0.1.20'] } };
  const asked = answerCalls({
    '/api/session': { result: 0, user, 'is-hardware': false, 'feature-support': 0 },
    '/api/settings/get': { result: 0, srt: { 'pb-key-len': 0 } },
    '/api/system/status': { result: 0, status },
    '/api/channel/events': { result: 0, ...history },
  });
  renderPage(children);
  return asked;
}
const choose = (name: string) => fireEvent.click(screen.getByRole('radio', { name }));

test('each encoder has its values with an address that other machines can use', async () => {
  show(<EncoderGuide channel={channel} />);
  expect(await screen.findByText('rtmp://10.0.0.20/live')).toBeTruthy();
  expect(screen.getByText(/^Opened as localhost\./)).toBeTruthy();
  fireEvent.change(screen.getByLabelText(/^Address of the hub/), { target: { value: '10.0.1.20' } });
  expect(screen.getByText('rtmp://10.0.1.20/live')).toBeTruthy();
  choose('Other SRT');
  for (const value of ['Caller', '8000', '120 ms']) expect(await screen.findByText(value)).toBeTruthy();
  expect(screen.getByText('10.0.1.20', { selector: 'code' })).toBeTruthy();
  choose('FFmpeg');
  expect(await screen.findByText(/-f flv "rtmp:\/\/10\.0\.1\.20\/live\/••••••••"$/)).toBeTruthy();
});

test('the key and the QR code are shown once the hub has recorded it', async () => {
  const asked = show(<EncoderGuide channel={channel} />);
  await screen.findByText('••••••••');
  choose('Larix');
  expect(screen.queryByRole('img')).toBeNull();
  expect(document.body.innerHTML).not.toContain('PUSH-secret');
  fireEvent.click(screen.getByRole('button', { name: 'Show the QR code' }));
  expect(await screen.findByRole('img', { name: 'QR code for Larix Broadcaster' })).toBeTruthy();
  expect(asked.filter(({ path }) => path === '/api/channel/reveal-key')).toEqual([
    { path: '/api/channel/reveal-key', body: { id: 7 } },
  ]);
  choose('OBS');
  expect(await screen.findByText('PUSH-secret')).toBeTruthy();
});

function First({ channel: one }: { channel: Channel }) {
  const { is, close } = useFirstStream(one);
  return is ? <FirstStream channel={one} is={is} onWatch={() => {}} onClose={close} /> : null;
}

/** A channel that goes live when the button is pressed. */
function Encoder() {
  const [state, setState] = useState(channel);
  return (
    <>
      <button type="button" onClick={() => setState({ ...channel, state: 'live' })}>
        start
      </button>
      <First channel={state} />
    </>
  );
}

test('the guide is shown for a channel that was never live, and then the news that it is', async () => {
  show(<Encoder />);
  expect(await screen.findByText('Waiting for an encoder')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'start' }));
  expect(screen.getByText('The first stream has arrived')).toBeTruthy();
  expect(screen.queryByText('Waiting for an encoder')).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Close' }));
  expect(screen.queryByText('The first stream has arrived')).toBeNull();
});

test('a channel that was live before waits without the guide', async () => {
  show(<First channel={channel} />, { list: [{ to: 'waiting' }, { to: 'live' }] });
  await waitFor(() => expect(queryClient.getQueryData(['run-history', 7, 'was-live'])).toBe(true));
  expect(screen.queryByText('Waiting for an encoder')).toBeNull();
});

test('a channel with an input of its own, and one whose key is not visible, have no guide', async () => {
  const { 'push-key': _, ...config } = channel.config;
  for (const other of [
    { ...channel, input: { id: 3 } },
    { ...channel, config },
  ]) {
    const asked = show(<First channel={other as Channel} />);
    expect(screen.queryByText('Waiting for an encoder')).toBeNull();
    expect(asked).toEqual([]);
  }
});

test('beside the guide the list of addresses has no choice of the address of its own, but follows that of the guide', async () => {
  const dialog: DialogAddress = { name: '', id: 0, open: () => {}, close: () => {} };
  const shown = { ...channel, clients: { list: [] }, outputs: { list: [] } } as unknown as Channel;
  const lists = (isGuided: boolean) => (
    <>
      {isGuided && <EncoderGuide channel={shown} />}
      <AddressLists channel={shown} dialog={dialog} isGuided={isGuided} />
    </>
  );
  show(lists(true));
  const choices = await screen.findAllByLabelText(/^Address of the hub/);
  expect(choices).toHaveLength(1);
  fireEvent.change(choices[0] as HTMLElement, { target: { value: '10.0.1.20' } });
  expect(screen.getAllByText('rtmp://10.0.1.20/live').length).toBeGreaterThan(1);
  show(lists(false));
  expect(await screen.findAllByLabelText(/^Address of the hub/)).toHaveLength(1);
});
