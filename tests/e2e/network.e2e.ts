/** The page Network of an appliance whose operating system is in memory; `tests/netns/console.test.ts` has a real one. */
import type { Page } from '@playwright/test';
import { controlOf } from '../sim/appliance/control.ts';
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
        say('Another machine in the network has this address', '网络中已有其他设备使用此地址'),
      );
      await look(page, view, 'undone');
      await note.getByRole('button', { name: say('Continue', '继续') }).click();
      await eth2(page, say)
        .getByRole('button', { name: say('Discard', '放弃修改') })
        .click();
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
}) => {
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
