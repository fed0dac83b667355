/** The clock of an appliance on the page General; its system is in memory, `tests/netns/time.test.ts` has a real chrony. */
import type { Page } from '@playwright/test';
import { expect, test } from './console-test.ts';
import type { Say } from './places.ts';
import { look, type View, views } from './views.ts';

test.use({ main: 'tests/sim/appliance-hub.ts' });

const clock = (page: Page, say: Say) => page.getByRole('form', { name: say('Date and time', '日期和时间') });
const english: Say = (text) => text;

interface Time {
  readonly ntp: { readonly enable: boolean; readonly servers: readonly string[] };
  readonly zone: string;
}

test.beforeEach(({ hub }) =>
  hub.api('/api/time/set', { ntp: { enable: true, servers: ['good.example'] }, zone: 'Etc/UTC' }),
);

for (const [name, view] of Object.entries<View>(views)) {
  test.describe(name, () => {
    test.use({ colorScheme: view.scheme, ...view.options });

    test('the section passes all checks, with faults and while NTP is off', async ({ page }) => {
      const say: Say = (en, zh) => (view.language === 'zh' ? zh : en);
      await page.goto('/#/settings/general');
      const form = clock(page, say);
      await expect(form).toContainText(say('The clock follows NTP', '时钟已与 NTP 同步'));
      await form.getByRole('textbox', { name: say('Second NTP server', '备用 NTP 服务器') }).fill('GOOD.example');
      await form.getByRole('button', { name: say('Save', '保存') }).click();
      await expect(form).toContainText(say('Already used by another field', '与另一字段重复'));
      await look(page, view, 'clock');
      await form.getByRole('checkbox').uncheck();
      await expect(form.getByLabel(say('Set the clock to', '将时钟设为'))).toBeVisible();
      await look(page, view, 'NTP off');
      await form.getByRole('button', { name: say('Discard', '放弃修改') }).click();
    });
  });
}

test('two servers and the time zone are set; the page shows which servers answer', async ({ page, hub }) => {
  await page.goto('/#/settings/general');
  const form = clock(page, english);
  await form.getByRole('textbox', { name: 'Second NTP server' }).fill('silent.example');
  await form.getByRole('combobox', { name: 'Time zone' }).selectOption('Europe/Berlin');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form.getByRole('listitem').filter({ hasText: 'silent.example' })).toContainText('does not answer');
  await expect(form.getByRole('listitem').filter({ hasText: 'good.example' })).toContainText('in use');
  expect(await hub.api<Time>('/api/time/get')).toMatchObject({
    ntp: { enable: true, servers: ['good.example', 'silent.example'] },
    zone: 'Europe/Berlin',
  });
});

test('the date is set by hand once NTP is off, in the time zone of the hub', async ({ page, hub }) => {
  await page.goto('/#/settings/general');
  const form = clock(page, english);
  await expect(form.getByLabel('Set the clock to')).toHaveCount(0);
  await form.getByRole('combobox', { name: 'Time zone' }).selectOption('Asia/Shanghai');
  await form.getByRole('checkbox', { name: 'Set the clock by NTP' }).uncheck();
  await form.getByLabel('Set the clock to').fill('2030-05-01T12:00:00');
  await expect(form).toContainText('The clock of the hub will be set');
  const sent = page.waitForRequest((request) => request.url().endsWith('/api/time/set'));
  await form.getByRole('button', { name: 'Save' }).click();
  expect((await sent).postDataJSON()).toMatchObject({
    ...{ ntp: { enable: false, servers: ['good.example'] }, zone: 'Asia/Shanghai', date: Date.UTC(2030, 4, 1, 4) },
  });
  await expect(form.getByRole('button', { name: 'Discard' })).toHaveCount(0);
  await expect(form).toContainText('NTP is off');
  expect((await hub.api<Time>('/api/time/get')).ntp).toEqual({ enable: false, servers: ['good.example'] });
  // The fields of the servers are off, but keep them.
  await expect(form.getByRole('textbox', { name: 'NTP server', exact: true })).toBeDisabled();
});
