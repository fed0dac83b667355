import { expect, test } from 'bun:test';
import { waitFor } from '@testing-library/react';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import { renderPage } from '../../ui/render-for-test.tsx';
import { EncoderWait } from './EncoderWait.tsx';

function show(channel: { state: string; since?: number; input: object; failover?: object }) {
  const { container } = renderPage(<EncoderWait channel={channel as unknown as Channel} />);
  return {
    text: () => container.querySelector('span, time')?.textContent,
    time: () => container.querySelector('time'),
  };
}
const minuteMs = 60_000;

test('a channel whose encoder is gone says for how long, and counts on', async () => {
  const since = Date.now() - 3 * minuteMs - 5_100;
  const { text, time } = show({ state: 'waiting', since, input: { id: 0, reason: 'closedByPeer' } });
  expect(text()).toBe('Encoder gone for 3 min 5 s');
  expect(time()?.getAttribute('datetime')).toBe(new Date(since).toISOString());
  await waitFor(() => expect(text()).toBe('Encoder gone for 3 min 6 s'));
});

test('a channel that never had an encoder waits for one', () => {
  const since = Date.now() - minuteMs;
  for (const input of [{ id: 0, reason: 'noInput' }, { id: 0 }]) {
    expect(show({ state: 'waiting', since, input }).text()).toBe('Waiting for an encoder');
  }
});

test('nothing is said of a live channel, nor of one that an encoder does not push to', () => {
  const since = Date.now() - minuteMs;
  expect(show({ state: 'live', since, input: { id: 0, reason: 'closedByPeer' } }).text()).toBeUndefined();
  expect(show({ state: 'waiting', since, input: { id: 4, reason: 'timeout' } }).text()).toBeUndefined();
  // On the backup, the main input decides.
  const failover = { main: { id: 4, reason: 'timeout' } };
  expect(show({ state: 'waiting', since, input: { id: 0, reason: 'closedByPeer' }, failover }).text()).toBeUndefined();
});
