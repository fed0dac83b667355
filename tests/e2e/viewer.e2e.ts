import { expect, test } from './console-test.ts';

test.use({ account: 'viewer' });

test('a viewer sees everything of a channel and nothing to change it with', async ({ page, stage }) => {
  const channel = await stage.liveChannel('Look only');
  await stage.output(channel, 'Far end', { url: 'rtmp://127.0.0.1:9/live', key: 'k' });
  const acting = /^(Add|Edit|Delete|Stop|Start|Renew|More actions|Send to|Save|Disconnect|From)/;
  const main = page.getByRole('main');

  await page.goto('/#/stream/channels');
  await expect(main.getByRole('row').filter({ hasText: channel.name })).toContainText('Live');
  for (const role of ['button', 'switch'] as const) await expect(main.getByRole(role, { name: acting })).toHaveCount(0);

  await main.getByRole('link', { name: channel.name }).click();
  await expect(page.getByRole('region', { name: 'Input' })).toContainText('Running');
  await expect(page.getByRole('region', { name: 'Outputs', exact: true })).toContainText('Far end');
  for (const role of ['button', 'switch'] as const) await expect(main.getByRole(role, { name: acting })).toHaveCount(0);
  await expect(main.getByRole('combobox', { name: 'Source of the stream' })).toHaveCount(0);
});

test('dialogs of acts that a viewer may not do do not open by their address either', async ({ page, stage }) => {
  const channel = await stage.channel('Locked');
  await page.goto(`/#/stream/channels?dialog=edit&id=${channel.id}`);
  await expect(page.getByRole('link', { name: channel.name })).toBeVisible();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  const output = await stage.output(channel, `Kept ${channel.id}`, { url: 'rtmp://127.0.0.1:9/live', key: 'k' });
  await page.goto(`/#/stream/output?dialog=save-preset&id=${output}`);
  await expect(page.getByRole('cell', { name: `Kept ${channel.id}` })).toBeVisible();
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('a page for administrators is not in the menu and says why it stays closed', async ({ page }) => {
  await page.goto('/#/settings/logs');
  await expect(page.getByText('No access permission')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Logs', level: 1 })).toBeVisible();
  const menu = page.getByRole('navigation', { name: 'Main menu' });
  await expect(menu.getByRole('link', { name: 'Channels' })).toBeVisible();
  await expect(menu.getByRole('link', { name: 'Logs' })).toHaveCount(0);
});
