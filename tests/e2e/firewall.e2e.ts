/** The page Firewall of an appliance whose packet filter is in memory; `tests/netns/firewall.test.ts` has the real one. */
import { controlOf } from '../sim/appliance/control.ts';
import { expect, test } from './console-test.ts';
import type { Say } from './places.ts';
import { look, type View, views } from './views.ts';

test.use({ main: 'tests/sim/appliance-hub.ts' });

for (const [name, view] of Object.entries<View>(views)) {
  test.describe(name, () => {
    test.use({ colorScheme: view.scheme, ...view.options });

    test('the page and the form of a rule pass all checks', async ({ page, hub, faults }) => {
      const say: Say = (en, zh) => (view.language === 'zh' ? zh : en);
      await hub.api('/api/firewall/rule/add', { port: '5000-5010', protocol: 1, remark: 'Stadium cameras' });
      await hub.api('/api/firewall/set', { mode: -1 });
      await page.goto('/#/settings/firewall');
      await expect(page.getByRole('radio', { name: say('Ports by rules', '按规则开放端口') })).toBeChecked();
      await look(page, view, 'firewall');
      await page
        .getByRole('button', { name: say('Add rule', '添加规则'), exact: true })
        .first()
        .click();
      const dialog = page.getByRole('dialog', { name: say('Add rule', '添加规则') });
      await dialog.getByRole('textbox', { name: say('Port or range', '端口或范围') }).fill('7000-6000');
      await dialog.getByRole('button', { name: say('Add rule', '添加规则') }).click();
      await expect(
        dialog.getByText(
          say(
            'Enter a port from 1 to 65535, or a range such as 5000-5010',
            '请输入 1 至 65535 之间的端口，或端口范围，例如 5000-5010',
          ),
        ),
      ).toBeVisible();
      await look(page, view, 'rule');
      await dialog.getByRole('button', { name: say('Cancel', '取消') }).click();
      expect(faults.unexpected()).toEqual([]);
    });
  });
}

test.describe('in use', () => {
  test.use({ meantFault: /the firewall is not as configured/ });

  test('ports are opened by rules, one of them with one click, and what was let in is counted', async ({
    page,
    hub,
  }) => {
    const control = controlOf(hub);
    const { rules } = await hub.api<{ rules: { id: number }[] }>('/api/firewall/get');
    if (rules.length > 0) await hub.api('/api/firewall/rule/del', { id: rules.map(({ id }) => id) });
    await hub.api('/api/firewall/set', { mode: 1 });
    await page.goto('/#/settings/firewall');
    await page.getByRole('radio', { name: 'Ports by rules' }).click();
    const question = page.getByRole('dialog', { name: 'Change the firewall to “Ports by rules”?' });
    await question.getByRole('button', { name: 'Change', exact: true }).click();
    await expect(page.getByRole('radio', { name: 'Ports by rules' })).toBeChecked();
    const srt = page.getByRole('listitem').filter({ hasText: 'SRT server' });
    await expect(srt).toContainText('Not reachable');
    await srt.getByRole('button', { name: /^Add rule for UDP/ }).click();
    await expect(srt).toContainText('Reachable');
    await expect(srt.getByRole('button')).toHaveCount(0);
    const table = page.getByRole('table', { name: 'Firewall rules' });
    await expect(table).toContainText('SRT server');
    const { rules: added } = await hub.api<{ rules: { port: string }[] }>('/api/firewall/get');
    const packet = { on: 'eth1', protocol: 'udp', port: Number(added[0]?.port) } as const;
    await control('firewall', 'lets', packet, 1_500_000);
    await expect(table).toContainText('1.50');
    await control('firewall', 'failWith', 'noHelper');
    await expect(page.getByRole('radio', { name: 'Ports by rules' })).toBeDisabled();
    await control('firewall', 'failWith', undefined);
    await expect(page.getByRole('radio', { name: 'Ports by rules' })).toBeEnabled();
  });
});
