import { expect, test } from 'bun:test';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { useLocation } from 'react-router-dom';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import { featureBits } from '../../../../daemon/contract/variant.ts';
import { channelNdiValues } from '../../shared/sources/ndi-form.ts';
import { answerCalls, renderPage } from '../../ui/render-for-test.tsx';
import ChannelDialog, { checkChannel } from './ChannelDialog.tsx';

const values = {
  ...{ name: 'Roof', pushKey: '', playKey: '', rtmp: true, srt: true, takeover: false, prefer: '1' },
  ...channelNdiValues(undefined),
};

test('a new channel needs only a name', () => {
  expect(checkChannel(values, undefined)).toEqual({});
  expect(checkChannel({ ...values, name: '' }, undefined)).toEqual({ name: 'required' });
});

test('an existing channel keeps its keys, however short, and gets no shorter new ones', () => {
  const present = { pushKey: 'a', playKey: 'b' };
  expect(checkChannel(values, present)).toEqual({ pushKey: 'required', playKey: 'required' });
  expect(checkChannel({ ...values, ...present }, present)).toEqual({});
  expect(checkChannel({ ...values, ...present, pushKey: 'a234567' }, present)).toEqual({ pushKey: 'shortKey' });
  expect(checkChannel({ ...values, playKey: 'a234567' }, undefined)).toEqual({ playKey: 'shortKey' });
  expect(checkChannel({ ...values, playKey: 'a2345678' }, undefined)).toEqual({});
});

test('push and play key cannot be the same', () => {
  expect(checkChannel({ ...values, pushKey: 'same-key', playKey: 'same-key' }, undefined)).toEqual({
    playKey: 'sameKey',
  });
});

test('a name with an invalid character is marked and not sent', async () => {
  const asked = answerCalls({});
  renderPage(<ChannelDialog channel={undefined} onClose={() => {}} />);
  fireEvent.change(await screen.findByLabelText('Name'), { target: { value: 'Roof & yard' } });
  fireEvent.click(screen.getByRole('button', { name: 'Add channel' }));
  expect(await screen.findByText(/^“&” isn't allowed\. Use /)).toBeTruthy();
  expect(asked.map(({ path }) => path)).toEqual(['/api/session']);
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Name')));
});

test('the first of several invalid fields gets the focus', async () => {
  answerCalls({});
  renderPage(<ChannelDialog channel={undefined} onClose={() => {}} />);
  fireEvent.change(await screen.findByLabelText('Name'), { target: { value: 'Roof' } });
  for (const name of ['Push key', 'Play key']) {
    fireEvent.change(screen.getByLabelText(name), { target: { value: 'two words' } });
  }
  fireEvent.click(screen.getByRole('button', { name: 'Add channel' }));
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Push key')));
});

test('a field that only the hub can check is marked in place', async () => {
  const fields = [{ path: 'name', rule: 'exists', message: '' }];
  answerCalls({ '/api/channel/add': { result: 1003, message: '', params: { what: 'Roof' }, fields } });
  renderPage(<ChannelDialog channel={undefined} onClose={() => {}} />);
  fireEvent.change(await screen.findByLabelText('Name'), { target: { value: 'Roof' } });
  fireEvent.click(screen.getByRole('button', { name: 'Add channel' }));
  expect(await screen.findByText('Already in use')).toBeTruthy();
  expect(screen.queryByRole('alert')).toBeNull();
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Name')));
});

/** Shows the address of the page. */
function Here() {
  return <output>{useLocation().pathname}</output>;
}

test('a valid form is sent once and leads to the page of the channel', async () => {
  const asked = answerCalls({ '/api/channel/add': { result: 0, id: 5 } });
  renderPage(
    <>
      <ChannelDialog channel={undefined} onClose={() => {}} />
      <Here />
    </>,
  );
  fireEvent.change(await screen.findByLabelText('Name'), { target: { value: 'Roof' } });
  fireEvent.click(screen.getByRole('button', { name: 'Add channel' }));
  expect(await screen.findByText('/stream/channel/detail/5')).toBeTruthy();
  expect(asked.filter(({ path }) => path === '/api/channel/add')).toEqual([
    {
      path: '/api/channel/add',
      body: {
        name: 'Roof',
        config: { protocol: { rtmp: true, srt: true, takeover: false, prefer: 1 }, ndi: { enable: false } },
      },
    },
  ]);
});

test('what needs NDI or devices is shown only on a hub that has them', async () => {
  for (const features of [0, featureBits.ndi | featureBits.devices]) {
    answerCalls({ '/api/session': { result: 0, 'is-hardware': false, 'feature-support': features, user: {} } });
    renderPage(<ChannelDialog channel={undefined} onClose={() => {}} />);
    await screen.findByLabelText('Name');
    const shown = [screen.queryByLabelText('Offer it as an NDI source'), screen.queryByLabelText('Preferred protocol')];
    expect(shown.map((field) => field !== null)).toEqual([features !== 0, features !== 0]);
  }
});

test('a copy has a free name and new keys, and adds copies of the outputs that do not send', async () => {
  const asked = answerCalls({
    '/api/session': { result: 0, 'is-hardware': false, 'feature-support': 0, user: { permission: 0xffffffff } },
    '/api/channel/add': { result: 0, id: 6 },
    '/api/output/list': {
      ...{ result: 0, start: 0, total: 2 },
      list: [
        { id: 11_001, name: 'CDN', 'owner-o-d': 5 },
        { id: 11_002, name: 'CDN copy', 'owner-o-d': 4 },
      ],
    },
  });
  const protocol = { rtmp: false, srt: true, ndihx: false, takeover: true, prefer: 2 };
  const config = { enable: true, 'play-key': 'PULL-1', 'push-key': 'PUSH-1', protocol };
  const original = { id: 5, name: 'Roof', config } as unknown as Channel;
  renderPage(<ChannelDialog channel={undefined} original={original} onClose={() => {}} />);
  expect(await screen.findByLabelText('Name')).toHaveProperty('value', 'Roof copy');
  for (const name of ['Push key', 'Play key']) expect(screen.getByLabelText(name)).toHaveProperty('value', '');
  fireEvent.click(await screen.findByLabelText('Also its output'));
  fireEvent.click(screen.getByRole('button', { name: 'Add channel' }));
  await waitFor(() => expect(asked.some(({ path }) => path === '/api/output/add')).toBe(true));
  const sent = (path: string) => asked.filter((one) => one.path === path).map(({ body }) => body);
  expect(sent('/api/channel/add')).toEqual([
    {
      ...{ name: 'Roof copy', 'copy-of': 5 },
      config: { protocol: { rtmp: false, srt: true, takeover: true, prefer: 2 }, ndi: { enable: false } },
    },
  ]);
  expect(sent('/api/output/add')).toEqual([{ name: 'CDN copy 2', 'copy-of': 11_001, channel: 6, enable: false }]);
});
