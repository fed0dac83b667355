import { afterAll, beforeAll, expect, test } from 'bun:test';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { maskOf, type Permission } from '../../../../daemon/contract/permission.ts';
import { answerCalls, renderPage } from '../../ui/render-for-test.tsx';
import { JoinByCode } from './JoinByCode.tsx';

const openedAs = (host: string) => Reflect.get(window, 'happyDOM').setURL(`http://${host}/`);
beforeAll(() => openedAs('localhost:8880'));
afterAll(() => openedAs('hub.test'));

interface Hub {
  readonly permission?: Permission;
  readonly needed?: boolean;
  readonly https?: number | null;
}

function show({ permission = 'systemEdit', needed = true, https = 8443 }: Hub = {}) {
  const user = { name: 'ann', id: 2, 'group-name': '', permission: maskOf(permission), type: 4 };
  const system = { ports: { link: 8070, https }, addresses: ['10.0.0.20'] };
  const asked = answerCalls({
    '/api/session': { result: 0, user, 'is-hardware': false, 'feature-support': 0 },
    '/api/settings/get': { result: 0, security: { 'enable-code': needed, 'code-value': '4711' } },
    '/api/settings/reveal-code': { result: 0, 'code-value': '4711' },
    '/api/system/status': { result: 0, status: { system } },
  });
  renderPage(<JoinByCode />);
  return asked;
}
const rest = '--device http://192.168.1.20 --user Admin --password-file FILE';

test('the command has the code once the hub has recorded that it was shown', async () => {
  const asked = show();
  expect(await screen.findByText(`signalbox agent --hub 10.0.0.20:8070 --code CODE ${rest}`)).toBeTruthy();
  expect(document.body.textContent).not.toContain('4711');
  fireEvent.click(await screen.findByRole('button', { name: 'Show the code' }));
  expect(await screen.findByText(`signalbox agent --hub 10.0.0.20:8070 --code 4711 ${rest}`)).toBeTruthy();
  expect(asked.filter(({ path }) => path === '/api/settings/reveal-code')).toHaveLength(1);
});

test('a user who may not change the settings gets no code', async () => {
  show({ permission: 'systemView' });
  expect(await screen.findByText('Only visible to users who may change the settings')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Show the code' })).toBeNull();
});

test('without a code and without HTTPS, the command says so', async () => {
  show({ permission: 'systemView', needed: false, https: null });
  expect(await screen.findByText(`signalbox agent --hub 10.0.0.20:8070 --insecure ${rest}`)).toBeTruthy();
  await waitFor(() => expect(screen.getByText(/^No invitation code is needed/)).toBeTruthy());
});
