import { afterEach, expect, test } from 'bun:test';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { NetworkPort } from '../../../../daemon/contract/network.ts';
import { maskOf, type Permission } from '../../../../daemon/contract/permission.ts';
import { endTrial, useTrial } from '../../shared/confirmed-change/trial.ts';
import { answerCalls, renderPage } from '../../ui/render-for-test.tsx';
import { PortForm, type PortFormProps } from './PortForm.tsx';

afterEach(() => act(() => endTrial()));

const settings = {
  ...{ dhcp: false, ip: '192.0.2.10', mask: '255.255.255.0', gateway: '192.0.2.1' },
  ...{ 'primary-dns': '192.0.2.1', 'secondary-dns': '' },
};
const port: NetworkPort = {
  ...{ port: 'eth1', settings, state: 'connected', device: 'eth0', mac: '', driver: '', link: true, speed: 1000 },
  ...{ addresses: ['192.0.2.10/24'], gateway: '192.0.2.1', dns: [], 'rx-kbps': 0, 'tx-kbps': 0 },
};
const answer = { result: 0, token: 'T', 'confirm-by-s': 60, addresses: ['192.0.2.20'] };

interface Shown extends Partial<PortFormProps> {
  readonly as?: Permission;
  readonly set?: object;
}

function show({ as = 'systemEdit', set = answer, ...props }: Shown = {}) {
  const user = { name: 'ann', id: 2, 'group-name': '', permission: maskOf(as), type: 4 };
  const asked = answerCalls({ '/api/session': { result: 0, user }, '/api/network/set': set });
  renderPage(<PortForm port={port} others={[]} revision={3} isLocked={false} {...props} />);
  return { sent: () => asked.filter(({ path }) => path === '/api/network/set').map(({ body }) => body) };
}
const form = () => screen.findByRole('form', { name: 'Settings of ETH1' });
const fill = (name: string, value: string) =>
  fireEvent.change(screen.getByRole('textbox', { name }), { target: { value } });
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));

test('an address in another network than its gateway is shown at its field, and nothing is asked', async () => {
  const { sent } = show();
  await form();
  fill('IP address', '198.51.100.7');
  press('Save');
  await waitFor(() =>
    expect(screen.getByRole('textbox', { name: 'Gateway' }).getAttribute('aria-invalid')).toBe('true'),
  );
  expect([screen.queryByRole('dialog'), sent()]).toEqual([null, []]);
});

test('a change is shown before it is made, is sent with the revision that it is based on, and is then on trial', async () => {
  const { sent } = show();
  await form();
  fill('IP address', '192.0.2.20');
  press('Save');
  const dialog = await screen.findByRole('dialog', { name: 'Change the settings of ETH1?' });
  expect(within(dialog).getByText(/^Address: 192\.0\.2\.10.* → 192\.0\.2\.20/)).toBeTruthy();
  press('Try the change');
  await waitFor(() => expect(useTrial.getState().trial).toMatchObject({ kind: 'network', token: 'T' }));
  expect(sent()).toEqual([{ eth1: { ...settings, ip: '192.0.2.20' }, revision: 3, 'confirm-within': 60 }]);
});

test('a fault that the hub finds is shown at its field instead of in the dialog', async () => {
  show({ set: { result: 7, message: '', fields: [{ path: 'eth1.ip', rule: 'sameNetwork', message: '' }] } });
  await form();
  fill('IP address', '192.0.2.20');
  press('Save');
  await screen.findByRole('dialog');
  press('Try the change');
  await screen.findByText('ETH1 and ETH2 must be in different networks');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

test('DHCP needs no address, and a fixed one begins with the address of the moment', async () => {
  show({ port: { ...port, settings: { ...settings, dhcp: true, ip: '', mask: '', gateway: '' } } });
  await form();
  expect(screen.queryByRole('textbox', { name: 'IP address' })).toBeNull();
  fireEvent.click(screen.getByRole('radio', { name: 'Fixed address' }));
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'IP address' }).value).toBe('192.0.2.10');
});

test.each([
  ['a user who may not edit', { as: 'systemView' as const }, 0],
  ['while another change waits', { isLocked: true }, 1],
])('nothing can be entered by %s', async (_, shown, buttons) => {
  show(shown);
  await form();
  for (const field of screen.getAllByRole('textbox')) expect(field.closest('fieldset')?.disabled).toBe(true);
  expect(screen.queryAllByRole('button', { name: 'Save' })).toHaveLength(buttons);
});
