/** Wi-Fi, USB network and routes of an appliance whose operating system is in memory. */
import { controlOf } from '../sim/appliance/control.ts';
import { expect, test } from './console-test.ts';
import type { Say } from './places.ts';
import { look, type View, views } from './views.ts';

test.use({ main: 'tests/sim/appliance-hub.ts' });

const hex = (text: string) => Buffer.from(text).toString('hex');
const near = { strength: 70, frequency: 2412 };
const key = 'correct horse 1';

for (const [name, view] of Object.entries<View>(views)) {
  test.describe(name, () => {
    test.use({ colorScheme: view.scheme, ...view.options });
    const say: Say = (en, zh) => (view.language === 'zh' ? zh : en);

    test('a network is joined with the right key, and a USB device is shown while it is there', async ({
      page,
      hub,
    }) => {
      const control = controlOf(hub);
      // Views share a hub.
      await control('wifi', 'reset');
      await control('wifi', 'place', [
        { ssid: hex('K1'), security: 'wpa', key, ...near },
        { ssid: hex('K2\n"'), security: 'open', ...near },
      ]);
      await control('usb', 'plug', [
        { name: 'usb0', state: 'connected', driver: 'cdc', addresses: ['192.168.42.9/24'] },
      ]);
      await page.goto('/#/settings/network');
      await expect(page.getByText('192.168.42.9/24')).toBeVisible();
      await expect(page.getByText('K2\\n"')).toBeVisible();
      await look(page, view, 'wifi');
      await page.getByRole('button', { name: say('Join K1', '加入 K1'), exact: true }).click();
      const dialog = page.getByRole('dialog', { name: say('Join “K1”', '加入“K1”') });
      await dialog.getByLabel(say('Key', '密码'), { exact: true }).fill('wrong horse 22');
      const join = dialog.getByRole('button', { name: say('Join', '加入'), exact: true });
      await join.click();
      await expect(dialog).toContainText(say('does not accept this key', '接入点不接受此密码'));
      await look(page, view, 'join');
      await dialog.getByLabel(say('Key', '密码'), { exact: true }).fill(key);
      await join.click();
      await expect(dialog).toHaveCount(0);
      await expect(page.getByRole('button', { name: say('Forget K1', '删除 K1') })).toBeVisible();
      await control('usb', 'plug', []);
      await expect(page.getByText('192.168.42.9/24')).toHaveCount(0);
    });

    test('a route is added with the form, which first says what is wrong', async ({ page, hub }) => {
      await controlOf(hub)('routes', 'reset');
      await page.goto('/#/settings/networkroute?dialog=add');
      const dialog = page.getByRole('dialog', { name: say('Add route', '添加路由') });
      const destination = dialog.getByLabel(say('Destination address', '目的地址'));
      const add = dialog.getByRole('button', { name: say('Add route', '添加路由') });
      await destination.fill('0.0.0.0/0');
      await add.click();
      await expect(dialog).toContainText(say('The default route is', '默认路由'));
      await dialog.getByLabel(say('Gateway', '网关')).fill('10.77.0.1');
      await destination.fill('10.20.0.0/16');
      await add.click();
      await expect(dialog).toContainText(say('another host in the network', '另一台主机'));
      await look(page, view, 'route');
      await dialog.getByLabel(say('Gateway', '网关')).fill('192.168.50.1');
      await add.click();
      await expect(dialog).toHaveCount(0);
      await expect(page.getByText('10.20.0.0/16').first()).toBeVisible();
      await look(page, view, 'routes');
    });
  });
}
