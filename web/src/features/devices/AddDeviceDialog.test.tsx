import { expect, test } from 'bun:test';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { answerCalls, renderPage } from '../../ui/render-for-test.tsx';
import AddDeviceDialog from './AddDeviceDialog.tsx';

class SilentEvents {
  addEventListener(): void {}
  close(): void {}
}
globalThis.EventSource ??= SilentEvents as never;

const pin = 'ab'.repeat(32);
const device = { added: false, by: ['mdns'], api: 'usapi' };
const item = (key: string, name: string, more: object = {}) => ({
  ...{ key, name, state: 'done' },
  device: { ...device, address: `http://${key}`, name, ...more },
});

function show(answers: Readonly<Record<string, object>> = {}) {
  const user = { name: 'ann', id: 2, 'group-name': '', permission: 0xffffffff, type: 4 };
  const asked = answerCalls({
    '/api/session': { result: 0, user, 'is-hardware': false, 'feature-support': 0 },
    '/api/catalog/list': { result: 0, start: 0, total: 0, list: [] },
    '/api/device/discover': { result: 0, task: 7 },
    ...answers,
  });
  let isClosed = false;
  renderPage(<AddDeviceDialog groupId={0} onClose={() => (isClosed = true)} />);
  return { asked, isClosed: () => isClosed };
}
const choose = async (way: string) => fireEvent.click(await screen.findByRole('radio', { name: way }));
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));
const bodies = (asked: ReturnType<typeof answerCalls>, path: string) =>
  asked.filter((one) => one.path === path).map(({ body }) => body);

test('devices that a search finds are chosen and added; those that refuse stay, with the reason', async () => {
  const found = [
    item('10.0.0.8', 'Hall'),
    item('10.0.0.9', 'Gate', { address: 'https://10.0.0.9' }),
    item('10.0.0.10', 'Stage', { added: true }),
    item('10.0.0.11', 'Printer', { api: undefined }),
  ];
  const refusal = { address: 'https://10.0.0.9', result: 40, problem: 'certificateUnknown', pin };
  const { asked } = show({
    '/api/task/query': { result: 0, list: found },
    '/api/device/add': { result: 0, list: [{ address: 'http://10.0.0.8', sn: 'A', result: 0 }, refusal] },
  });
  await choose('Search');
  expect(screen.getByRole('button', { name: 'Add devices' })).toHaveProperty('disabled', true);
  fireEvent.change(screen.getByRole('textbox', { name: 'Subnet' }), { target: { value: '10.0.0.0/24' } });
  press('Search');
  const list = await screen.findByRole('list', { name: 'Found devices' });
  expect(bodies(asked, '/api/device/discover')).toEqual([{ subnet: '10.0.0.0/24' }]);
  expect(screen.getByRole('status').textContent).toContain('3 devices found');
  expect(within(list).getByRole('checkbox', { name: /Stage/ })).toHaveProperty('disabled', true);
  expect(within(list).queryByText('Printer')).toBeNull();
  press('1 other machine');
  expect(within(screen.getByRole('list', { name: 'Other machines' })).getByText('Printer')).toBeTruthy();

  fireEvent.click(screen.getByRole('checkbox', { name: 'Select all' }));
  fireEvent.change(screen.getByLabelText('Password on the devices'), { target: { value: 'secret' } });
  press('Add devices');
  await within(list).findByText('The certificate is not trusted yet');
  const login = { user: 'Admin', password: 'secret' };
  const added = () => bodies(asked, '/api/device/add');
  expect(added()).toEqual([
    {
      list: [
        { ...login, address: 'http://10.0.0.8' },
        { ...login, address: 'https://10.0.0.9' },
      ],
    },
  ]);
  expect(within(list).getByText('Added')).toBeTruthy();
  expect(within(list).getByRole('checkbox', { name: /Hall/ })).toHaveProperty('disabled', true);

  fireEvent.click(within(list).getByRole('checkbox', { name: /Trust its certificate/ }));
  press('Add devices');
  await waitFor(() => expect(added()[1]).toEqual({ list: [{ ...login, address: 'https://10.0.0.9', pin }] }));
});

test('a Director has no login, but a port for OSC', async () => {
  const answer = { result: 0, list: [{ address: '10.0.0.9', sn: 'V1', result: 0 }] };
  const { asked, isClosed } = show({ '/api/device/add': answer });
  fireEvent.change(await screen.findByRole('combobox', { name: 'Model' }), { target: { value: 'v1' } });
  expect(screen.queryByLabelText('Password on the device')).toBeNull();
  fireEvent.change(screen.getByRole('textbox', { name: 'Address' }), { target: { value: '10.0.0.9' } });
  const port = screen.getByRole('textbox', { name: 'OSC port' });
  fireEvent.change(port, { target: { value: '70000' } });
  press('Add device');
  await waitFor(() => expect(port.getAttribute('aria-invalid')).toBe('true'));
  expect(bodies(asked, '/api/device/add')).toEqual([]);
  fireEvent.change(port, { target: { value: '7000' } });
  press('Add device');
  await waitFor(() => expect(isClosed()).toBe(true));
  expect(bodies(asked, '/api/device/add')).toEqual([{ driver: 'v1', address: '10.0.0.9', 'osc-port': 7000 }]);
});

test('a search that the hub refuses says why', async () => {
  const fields = [{ path: 'subnet', rule: 'ownSubnet', message: 'subnet: x' }];
  show({ '/api/device/discover': { result: 7, message: 'x', fields } });
  await choose('Search');
  press('Search');
  expect(await screen.findByText('The hub has no private network that contains this')).toBeTruthy();
});

test('a list is added in several calls; the lines of devices that were not added stay', async () => {
  const lines = Array.from({ length: 10 }, (_, at) => `10.0.0.${at}, Admin, "a,b"`);
  const { asked, isClosed } = show();
  const answered = globalThis.fetch;
  const answer = async (input: string | URL | Request, init?: RequestInit) => {
    const response = await answered(input, init);
    if (!String(input).startsWith('/api/device/add')) return response;
    const { list } = JSON.parse(String(init?.body)) as { list: { address: string }[] };
    // Of each call, the second device is refused.
    return Response.json({
      result: 0,
      list: list.map(({ address }, at) => ({ address, result: at === 1 ? 1003 : 0 })),
    });
  };
  globalThis.fetch = Object.assign(answer, { preconnect: () => {} });
  await choose('List');
  const field = screen.getByRole('textbox', { name: 'Devices' });
  fireEvent.change(field, { target: { value: ['Address', ...lines].join('\n') } });
  press('Add devices');
  await screen.findByText('2 devices were not added.');
  expect(screen.getAllByText(/The hub has this device already/)).toHaveLength(2);
  expect(field).toHaveProperty('value', [lines[1], lines[9]].join('\n'));
  const sizes = bodies(asked, '/api/device/add').map((body) => (body as { list: unknown[] }).list.length);
  expect(sizes).toEqual([8, 2]);
  expect(isClosed()).toBe(false);
});
