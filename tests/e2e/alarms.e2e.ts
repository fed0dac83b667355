import { publish } from '../integration/live-media.ts';
import { axeFaults } from './axe.ts';
import { expect, test } from './console-test.ts';

const silent = { pictures: { size: '320x180', kbps: 400 } } as const;

test('a stream without audio raises an alarm on its page and the dashboard, until its rule is off', async ({
  page,
  stage,
}) => {
  const channel = await stage.channel('Silent');
  const encoder = publish(channel.pushUrl, silent);
  await page.goto('/#/dashboard');
  const attention = page.getByRole('region', { name: 'Needs attention' });
  const item = attention.getByRole('listitem').filter({ hasText: channel.name });
  await expect(item).toContainText('No audio', { timeout: 20_000 });
  const bell = page.getByRole('banner').getByRole('link', { name: /^Alarms: \d+ unacknowledged$/ });
  await expect(bell).toBeVisible();
  await expect(page).toHaveTitle(/^\(\d+\) Dashboard/);
  await bell.click();
  const listed = page.getByRole('row').filter({ hasText: channel.name });
  await expect(listed).toContainText('Warning');
  await listed.getByRole('button', { name: `More actions for ${channel.name} No audio` }).click();
  await page.getByRole('menuitem', { name: 'Mute for 15 min' }).click();
  await expect(listed).toContainText('Muted');
  await listed.getByRole('button', { name: `Acknowledge ${channel.name} No audio` }).click();
  await expect(listed).toContainText('Admin ·');
  expect(await axeFaults(page)).toEqual([]);
  await listed.getByRole('link', { name: channel.name }).click();

  const panel = page.getByRole('region', { name: 'Alarms', exact: true });
  const row = panel.getByRole('row').filter({ hasText: 'No audio' });
  await expect(row).toContainText('Active');
  await expect(row).toContainText('5 s');
  await panel.getByRole('button', { name: 'Alarm settings' }).click();
  const dialog = page.getByRole('dialog', { name: `Alarms of “${channel.name}”` });
  const seconds = dialog.getByRole('textbox', { name: 'No audio, s' });
  await expect(seconds).toHaveValue('5');
  expect(await axeFaults(page)).toEqual([]);
  await seconds.fill('0');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(seconds).toHaveAttribute('aria-invalid', 'true');
  await seconds.fill('7');
  await dialog.getByRole('checkbox', { name: 'No audio' }).press('Space');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(row).toContainText('Cleared');
  expect(await axeFaults(page)).toEqual([]);

  await panel.getByRole('button', { name: 'Clear history' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Clear history' }).click();
  await expect(panel).toContainText('No alarms yet.');
  await encoder.stop();
});

test('the alarm webhook is configured and tested, and its secret is never shown', async ({ page }) => {
  await page.goto('/#/settings/general');
  const group = page.getByRole('form', { name: 'Alarm webhook' });
  const address = group.getByRole('textbox', { name: 'Address' });
  await address.fill('nonsense');
  await group.getByRole('button', { name: 'Save' }).click();
  await expect(address).toHaveAttribute('aria-invalid', 'true');
  await address.fill('http://127.0.0.1:1/hook');
  await group.getByLabel('Secret', { exact: true }).fill('sesame');
  await group.getByRole('checkbox', { name: 'Send alarms' }).check();
  await group.getByRole('button', { name: 'Save' }).click();
  await expect(group).toContainText('The hub may not connect to this address');
  const outgoing = page.getByRole('form', { name: 'Outgoing connections' });
  await outgoing.getByRole('checkbox', { name: 'The alarm webhook and mail may use private addresses' }).check();
  await outgoing.getByRole('button', { name: 'Save' }).click();
  await expect(outgoing.getByRole('button', { name: 'Discard' })).toHaveCount(0);
  await group.getByRole('checkbox', { name: 'Send alarms' }).uncheck();
  await group.getByRole('button', { name: 'Save' }).click();
  await group.getByRole('button', { name: 'Send a test' }).click();
  await expect(group.getByRole('status')).toContainText('Connection refused');
  await expect(group.getByLabel('Secret', { exact: true })).toHaveValue('');
  expect(await axeFaults(page)).toEqual([]);
});

test('alarm mails are configured and tested; the cause of a failure is named', async ({ page, hub }) => {
  await hub.api('/api/settings/set', { outgoing: { 'private-webhook': true } });
  await page.goto('/#/settings/general?group=mail');
  const group = page.getByRole('form', { name: 'Alarm mail' });
  await group.getByRole('checkbox', { name: 'Send mails' }).check();
  const to = group.getByRole('textbox', { name: 'Recipients' });
  await to.fill('noc@example.org, NOC <noc@example.org>');
  await group.getByRole('button', { name: 'Save' }).click();
  await expect(to).toHaveAttribute('aria-invalid', 'true');
  await expect(group.getByRole('textbox', { name: 'Mail server' })).toHaveAttribute('aria-invalid', 'true');
  await to.fill('noc@example.org, ann@example.org');
  await group.getByRole('textbox', { name: 'Mail server' }).fill('127.0.0.1');
  await group.getByRole('textbox', { name: 'Port' }).fill('1');
  await group.getByRole('textbox', { name: 'Sender' }).fill('hub@example.org');
  await group.getByRole('checkbox', { name: 'Send mails' }).uncheck();
  await group.getByRole('button', { name: 'Save' }).click();
  await group.getByRole('button', { name: 'Send a test' }).click();
  await expect(group.getByRole('status')).toContainText('Connection refused');
  expect(await axeFaults(page)).toEqual([]);
});
