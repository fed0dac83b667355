import { expect, test } from './console-test.ts';

test('the log tells who did what to what, and finds it again', async ({ page, stage, hub }) => {
  const channel = await stage.channel('In the log');
  await page.goto('/#/settings/logs');
  const table = page.getByRole('table', { name: 'Operation log' });
  const entry = table.getByRole('row').filter({ hasText: channel.name });
  await expect(entry).toContainText('Admin');
  await expect(entry).toContainText('127.0.0.1');
  await expect(entry).toContainText('Success');

  await page.getByRole('searchbox', { name: 'Search' }).fill(channel.name);
  await expect(table.getByRole('row')).toHaveCount(2);
  await page.reload();
  await expect(table.getByRole('row')).toHaveCount(2);

  await hub.api('/api/channel/set', { id: channel.id, name: `${channel.name} again` });
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(table.getByRole('row')).toHaveCount(3);
  await page.getByRole('searchbox', { name: 'Search' }).fill('nothing of that kind');
  await expect(page.getByText('Nothing matches the search')).toBeVisible();
  await hub.api('/api/channel/set', { id: channel.id, name: channel.name });
});

test('a refused sign-in is in the log, without what was typed as a name', async ({ page, hub }) => {
  const answer = await hub.answer('/api/login', { id: 'my-secret-passphrase', password: 'x' });
  expect(answer.result).not.toBe(0);
  await page.goto('/#/settings/logs');
  const table = page.getByRole('table', { name: 'Operation log' });
  await expect(table.getByRole('row').filter({ hasText: 'Unknown name' }).first()).toBeVisible();
  await expect(table).not.toContainText('my-secret-passphrase');
});
