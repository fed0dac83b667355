import { expect, test } from 'bun:test';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import type { WaitingChange } from '../../../../daemon/contract/network.ts';
import { maskOf, type Permission } from '../../../../daemon/contract/permission.ts';
import { answerCalls, renderPage } from '../../ui/render-for-test.tsx';
import { WaitingNote } from './WaitingNote.tsx';

const change: WaitingChange = { kind: 'network', user: 'ann', seconds: 42, applied: true };

function show(waiting: WaitingChange, as: Permission, answers: Readonly<Record<string, object>> = {}) {
  const user = { name: 'ann', id: 2, 'group-name': '', permission: maskOf(as), type: 4 };
  const asked = answerCalls({ '/api/session': { result: 0, user }, ...answers });
  const ends: string[] = [];
  renderPage(<WaitingNote waiting={waiting} onEnd={() => void ends.push('end')} />);
  return {
    asked: () => asked.map(({ path }) => path).filter((path) => path !== '/api/session'),
    ends: () => ends.length,
  };
}
const buttons = () => screen.queryAllByRole('button').map(({ textContent }) => textContent);

test('it says what is being tried, by whom and for how long', async () => {
  show({ ...change, kind: 'firewall', user: 'ben', seconds: 1 }, 'systemView');
  await screen.findByText('Firewall settings: a change by ben is being tried');
  expect(screen.getByText(/^Unless it is confirmed within 1 second, the hub returns/)).toBeTruthy();
  expect(buttons()).toEqual([]);
});

test('its author keeps or undoes it, and what the page shows is loaded again', async () => {
  const { asked, ends } = show(change, 'systemEdit');
  fireEvent.click(await screen.findByRole('button', { name: 'Keep the change' }));
  await waitFor(() => expect(ends()).toBe(1));
  fireEvent.click(screen.getByRole('button', { name: 'Undo now' }));
  await waitFor(() => expect(ends()).toBe(2));
  expect(asked()).toEqual(['/api/network/confirm', '/api/network/cancel']);
});

test.each([
  ['of another user', { user: 'ben' }, ['Undo now']],
  ['that is not in effect yet', { applied: false }, ['Undo now']],
  ['of the ports of the console, which has its own page', { kind: 'web' as const }, []],
])('a change %s cannot be kept here', async (_, different, shown) => {
  show({ ...change, ...different }, 'systemEdit');
  await screen.findByText(/is being tried$/);
  expect(buttons()).toEqual(shown);
});

test('a change that ended meanwhile is said so, and the page is loaded again', async () => {
  const { ends } = show(change, 'systemEdit', { '/api/network/confirm': { result: 38, message: '' } });
  fireEvent.click(await screen.findByRole('button', { name: 'Keep the change' }));
  expect((await screen.findByRole('alert')).textContent).not.toBe('');
  expect(ends()).toBe(1);
});
