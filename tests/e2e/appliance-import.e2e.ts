/** The page Import settings of an appliance, whose operating system is in memory: what changes at once is tried. */
import type { Page } from '@playwright/test';
import { expect, test } from './console-test.ts';
import type { Say } from './places.ts';
import { look, type View, views } from './views.ts';

test.use({ main: 'tests/sim/appliance-hub.ts' });

const dns = { 'primary-dns': '198.51.100.1', 'secondary-dns': '' };
/** The tests of a worker share its hub: each has a file of its own. */
const fileFor = (at: number) => ({
  ...{ format: 'signalbox-settings', 'format-version': 1, product: 'signalbox', version: '1.0.0' },
  ...{ created: 1_790_000_000_000, hub: 'K 4' },
  sections: {
    time: [{ name: 'ntp', enable: true, servers: [`good.${at}.example`] }],
    network: [{ port: 'eth2', dhcp: false, ip: `198.51.100.2${at}`, mask: '255.255.255.0', gateway: '', ...dns }],
    routes: [{ destination: `10.2${at}.0.0/16`, gateway: '198.51.100.7', interface: 'eth2' }],
  },
});

async function choose(page: Page, file: object, say: Say): Promise<void> {
  await page.goto('/#/import-settings');
  const buffer = Buffer.from(JSON.stringify(file));
  await page.locator('input[type=file]').setInputFiles({ name: 'K4.json', mimeType: 'application/json', buffer });
  await page.getByRole('button', { name: say('Show what would change', '查看将发生的更改') }).click();
}

for (const [at, [name, view]] of Object.entries<View>(views).entries()) {
  test.describe(name, () => {
    test.use({ colorScheme: view.scheme, ...view.options });

    test('the preview, the question and the end of a trial pass all checks', async ({ page, hub, faults }) => {
      const file = fileFor(at);
      const say: Say = (en, zh) => (view.language === 'zh' ? zh : en);
      await choose(page, file, say);
      await expect(page.getByRole('list', { name: say('Sections', '设置类别') })).toContainText('eth2');
      await look(page, view, 'preview');
      await page.getByRole('button', { name: say('Import', '导入'), exact: true }).click();
      const question = page.getByRole('dialog', { name: say('Import these settings?', '导入这些设置？') });
      await expect(question).toContainText('eth2');
      await look(page, view, 'question');
      await page.getByRole('button', { name: say('Try the change', '试用修改') }).click();
      await expect(page.getByText(say('The change is confirmed.', '修改已确认。'))).toBeVisible();
      const { file: after } = await hub.api<{ file: typeof file }>('/api/settings/export', {});
      expect(after.sections.network).toContainEqual(file.sections.network[0]);
      expect(after.sections.routes).toEqual(file.sections.routes);
      await choose(page, file, say);
      await expect(
        page.getByText(say('The hub already has all of these settings.', '本机已具有全部这些设置。')),
      ).toBeVisible();
      expect(faults.unexpected()).toEqual([]);
    });
  });
}
