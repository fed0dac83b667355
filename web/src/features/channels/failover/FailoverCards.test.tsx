import { afterAll, expect, test } from 'bun:test';
import { screen } from '@testing-library/react';
import type { Channel, ChannelFailover, ChannelInput } from '../../../../../daemon/contract/channels.ts';
import { defaultFailover } from '../../../../../daemon/contract/failover.ts';
import { maskOf } from '../../../../../daemon/contract/permission.ts';
import { connectionStates } from '../../../../../daemon/contract/streams.ts';
import { answerCalls, renderPage } from '../../../ui/render-for-test.tsx';
import FailoverCards from './FailoverCards.tsx';

const matchMedia = window.matchMedia;
afterAll(() => {
  window.matchMedia = matchMedia;
});

const input = (role: ChannelInput['role']): ChannelInput => ({
  ...{ role, id: 1001, name: role, type: 258, protocol: 4, addr: '', state: 1 },
  ...{ 'conn-state': connectionStates.connected, kbps: 0, 'total-bytes': 0, 'living-time-s': 0, reconnects: 0 },
});

async function show(change: Partial<ChannelFailover>, isPhone = false): Promise<void> {
  const query = { matches: isPhone, addEventListener: () => {}, removeEventListener: () => {} };
  window.matchMedia = () => query as unknown as MediaQueryList;
  const user = { name: 'ann', id: 2, 'group-name': '', permission: maskOf('channelView'), type: 4 };
  answerCalls({
    '/api/session': { result: 0, user },
    '/api/system/status': { result: 0, status: { system: { parts: [] } } },
  });
  const failover: ChannelFailover = {
    ...{ active: 'backup', main: input('main'), backup: input('backup'), switches: 1, reason: 'noData' },
    ...{ 'switched-at': Date.now() - 80_000, rule: defaultFailover },
    ...change,
  };
  const channel = { id: 7, name: 'Studio', state: 'live', config: { enable: true }, failover } as Channel;
  renderPage(<FailoverCards channel={channel} failover={failover} />);
  await screen.findAllByRole('heading', { level: 3 });
}

const cards = () => screen.getAllByRole('heading', { level: 3 }).map(({ textContent }) => textContent);

test('the backup on air has the time since the switch, and when the main input returns', async () => {
  await show({ 'returns-at': Date.now() + 6500 });
  expect(screen.getByText(/^Backup on air/).textContent).toMatch(/^Backup on air · for 1 min 2[01] s$/);
  expect(screen.getByText(/Switching back in [67] s\./)).toBeTruthy();
  expect(screen.getByText(/: Main had no data · 1 switch$/)).toBeTruthy();
});

test('a return that waits for a keyframe says so, and none is announced without a time', async () => {
  await show({ 'returns-at': Date.now() - 1 });
  expect(screen.getByText(/Switching back at its next keyframe\./)).toBeTruthy();
  await show({});
  expect(screen.queryByText(/Switching back/)).toBeNull();
});

test('on a phone the card on air comes first; side by side, each has its place', async () => {
  await show({});
  expect(cards()).toEqual(['Main input', 'Backup']);
  await show({}, true);
  expect(cards()).toEqual(['Backup', 'Main input']);
  await show({ active: 'main' }, true);
  expect(cards()).toEqual(['Main input', 'Backup']);
});
