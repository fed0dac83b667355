/** The page Network of an appliance whose operating system is in memory; `tests/netns/console.test.ts` has a real one. */
import type { Page } from '@playwright/test';
import type { Network } from '../../daemon/contract/network.ts';
import type { HubProcess } from '../integration/hub-process.ts';
import { controlOf } from '../sim/appliance/control.ts';
import { until } from '../support/until.ts';
import { expect, test } from './console-test.ts';
import type { Say } from './places.ts';
import { look, type View, views } from './views.ts';

test.use({ main: 'tests/sim/appliance-hub.ts' });

const eth2 = (page: Page, say: Say) => page.getByRole('form', { name: say('Settings of ETH2', 'ETH2 的设置') });
const english: Say = (text) => text;

async function open(page: Page, say: Say): Promise<void> {
  await page.goto('/#/settings/network');
  await expect(eth2(page, say)).toBeVisible();
}

async function askFor(page: Page, address: string, say: Say): Promise<void> {
  await eth2(page, say).getByText(say('Fixed address', '固定地址')).click();
  await eth2(page, say)
    .getByRole('textbox', { name: say('IP address', 'IP 地址') })
    .fill(address);
  await eth2(page, say)
    .getByRole('button', { name: say('Save', '保存') })
    .click();
  await expect(
    page.getByRole('dialog', { name: say('Change the settings of ETH2?', '修改 ETH2 的设置？') }),
  ).toBeVisible();
}

const near = { strength: 80, frequency: 2412, security: 'open' } as const;

/** Lets the browser reach the hub through the first of two Wi-Fi networks in range. */
async function comeByWifi(hub: HubProcess, say: Say): Promise<void> {
  const control = controlOf(hub);
  const names = [say('Studio', '演播室'), say('Guests', '访客')];
  const points = names.map((name) => ({ ssid: Buffer.from(name).toString('hex'), ...near }));
  await control('wifi', 'place', points);
  await hub.api('/api/wifi/join', { ssid: names[0] });
  await control('wifi', 'setAddress', '127.0.0.1');
}

async function leaveWifi(hub: HubProcess): Promise<void> {
  const control = controlOf(hub);
  await control('wifi', 'reset');
  await control('wifi', 'place', []);
  await control('wifi', 'setAddress', '10.88.0.50');
}

async function askToForget(page: Page, say: Say): Promise<void> {
  await page.getByRole('button', { name: say('Forget Studio', '删除 演播室') }).click();
  await expect(page.getByRole('dialog', { name: say('Forget “Studio”?', '删除“演播室”？') })).toContainText(
    say('Reached through Wi-Fi, which you are changing', '通过正要修改的 Wi-Fi 访问'),
  );
}

for (const [name, view] of Object.entries<View>(views)) {
  test.describe(name, () => {
    test.use({ colorScheme: view.scheme, ...view.options });

    test('the page and the question about a change pass all checks', async ({ page, hub, faults }) => {
      const say: Say = (en, zh) => (view.language === 'zh' ? zh : en);
      const control = controlOf(hub);
      await control('net', 'take', '198.51.100.9');
      await open(page, say);
      await look(page, view, 'network');
      await askFor(page, '198.51.100.9', say);
      await look(page, view, 'question');
      await page.getByRole('button', { name: say('Try the change', '试用修改') }).click();
      const note = page.getByRole('dialog', { name: say('The previous settings are back', '已恢复原来的设置') });
      await expect(note).toContainText(
        say('Another machine in the network has this address', '网络中已有其他主机使用此地址'),
      );
      await look(page, view, 'undone');
      await note.getByRole('button', { name: say('Continue', '继续') }).click();
      await eth2(page, say)
        .getByRole('button', { name: say('Discard', '放弃修改') })
        .click();
      await comeByWifi(hub, say);
      await control('light', 'setDark', 'eth0', true);
      await page.reload();
      await page.getByRole('button', { name: say('Blink the lights of ETH1', '让 ETH1 的指示灯闪烁') }).click();
      await expect(page.getByText(say('cannot blink the lights', '不支持指示灯闪烁'))).toBeVisible();
      await askToForget(page, say);
      await look(page, view, 'forget');
      await page.getByRole('button', { name: say('Cancel', '取消'), exact: true }).click();
      await leaveWifi(hub);
      await control('light', 'setDark', 'eth0', false);
      await control('net', 'stop');
      await expect(page.getByText(say('NetworkManager is missing', '缺少 NetworkManager'))).toBeVisible();
      await expect(eth2(page, say).getByRole('textbox').first()).toBeDisabled();
      await look(page, view, 'missing');
      await control('net', 'start');
      await expect(page.getByText(say('NetworkManager is missing', '缺少 NetworkManager'))).toHaveCount(0);
      expect(faults.unexpected()).toEqual([]);
    });
  });
}

test('faults are shown at their fields, and a change that the page still reaches is confirmed by it', async ({
  page,
  hub,
}) => {
  // Other tests of this hub set ETH2, too.
  const dhcp = { dhcp: true, ip: '', mask: '', gateway: '', 'primary-dns': '', 'secondary-dns': '' };
  await hub.api('/api/network/set', { eth2: dhcp, 'confirm-within': 0, 'accept-risk': true });
  await until(async () => {
    const { ports, waiting } = await hub.api<Network>('/api/network/get');
    return waiting === undefined && ports[1]?.addresses[0] === '198.51.100.77/24';
  });
  await open(page, english);
  await eth2(page, english).getByText('Fixed address').click();
  const field = (name: string) => eth2(page, english).getByRole('textbox', { name, exact: true });
  await expect(field('IP address')).toHaveValue('198.51.100.77');
  await field('IP address').fill('198.51.100.255');
  await eth2(page, english).getByRole('button', { name: 'Save' }).click();
  await expect(field('IP address')).toHaveAttribute('aria-invalid', 'true');
  await field('IP address').fill('192.0.2.99');
  await eth2(page, english).getByRole('button', { name: 'Save' }).click();
  await expect(eth2(page, english)).toContainText('ETH1 and ETH2 must be in different networks');
  await askFor(page, '198.51.100.20', english);
  await page.getByRole('button', { name: 'Try the change' }).click();
  await expect(page.getByText('The change is confirmed.')).toBeVisible();
  await expect(eth2(page, english).getByRole('button', { name: 'Discard' })).toHaveCount(0);
  await page.reload();
  await expect(field('IP address')).toHaveValue('198.51.100.20');
});

test('a change made elsewhere locks the page until it is undone or kept', async ({ page, hub }) => {
  await open(page, english);
  const dhcp = { dhcp: true, ip: '', mask: '', gateway: '', 'primary-dns': '198.51.100.1', 'secondary-dns': '' };
  await hub.api('/api/network/set', { eth2: dhcp, 'confirm-within': 600 });
  await expect(page.getByText('Network settings: a change by Admin is being tried')).toBeVisible();
  await expect(eth2(page, english).getByRole('textbox').first()).toBeDisabled();
  expect(await hub.answer('/api/network/set', { eth2: dhcp })).toMatchObject({
    result: 1004,
    params: { user: 'Admin' },
  });
  await page.getByRole('button', { name: 'Undo now' }).click();
  await expect(page.getByText('is being tried')).toHaveCount(0);
  await hub.api('/api/network/set', { eth2: dhcp, 'confirm-within': 600 });
  await page.getByRole('button', { name: 'Keep the change' }).click();
  await expect(page.getByText('is being tried')).toHaveCount(0);
  await expect(eth2(page, english).getByRole('textbox', { name: 'Primary DNS server' })).toHaveValue('198.51.100.1');
});

test('the keyboard alone changes a port', async ({ page }) => {
  await open(page, english);
  await eth2(page, english).getByRole('textbox', { name: 'Primary DNS server' }).focus();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('198.51.100.2');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Change the settings of ETH2?' });
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByText('The change is confirmed.')).toBeVisible();
});

test('who is connected through Wi-Fi tries another network, and is back in the one before unless that is confirmed', async ({
  page,
  hub,
}) => {
  await comeByWifi(hub, english);
  await open(page, english);
  await page.getByRole('button', { name: 'Join Guests' }).click();
  await page.getByRole('dialog', { name: 'Join “Guests”' }).getByRole('button', { name: 'Join' }).click();
  const question = page.getByRole('dialog', { name: 'Join “Guests” and leave this network?' });
  await expect(question).toContainText('Wi-Fi: Studio → Guests');
  await expect(question).toContainText('The hub tries the change for 300 seconds');
  await question.getByRole('button', { name: 'Try the change' }).click();
  await expect(page.getByText('Find it in the lease list there')).toBeVisible();
  const trying = page.getByRole('dialog', { name: 'The new settings are being tried' });
  const undo = trying.getByRole('button', { name: 'Undo now' });
  await expect(undo).toBeEnabled();
  await undo.click();
  const note = page.getByRole('dialog', { name: 'The previous settings are back' });
  await note.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByRole('button', { name: 'Join Guests' })).toBeVisible();

  await askToForget(page, english);
  await page.getByRole('checkbox', { name: 'Apply without a safety net' }).check();
  await page.getByRole('button', { name: 'Apply without a safety net' }).click();
  await expect(page.getByRole('dialog', { name: 'Apply without a safety net?' })).toBeVisible();
  await page.getByRole('button', { name: 'Apply without a safety net' }).click();
  await expect(page.getByText('The hub leaves “Studio” now.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Forget Studio' })).toHaveCount(0);
  await leaveWifi(hub);
});
