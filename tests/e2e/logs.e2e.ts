import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fillOperationLog } from '../fixtures/long-log.ts';
import { expect, test } from './console-test.ts';
import { scrollToEnd } from './long-list.ts';

test('the log shows who did what to what, and can be searched', async ({ page, stage, hub }) => {
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

test('a refused sign-in is in the log, without the typed name', async ({ page, hub }) => {
  const answer = await hub.answer('/api/login', { id: 'my-secret-passphrase', password: 'x' });
  expect(answer.result).not.toBe(0);
  await page.goto('/#/settings/logs');
  const table = page.getByRole('table', { name: 'Operation log' });
  await expect(table.getByRole('row').filter({ hasText: 'Unknown user' }).first()).toBeVisible();
  await expect(table).not.toContainText('my-secret-passphrase');
});

test('the whole log is reached by scrolling, and only nearby entries are rendered', async ({ page, hub }) => {
  fillOperationLog(join(hub.dataDir, 'hub.sqlite'), { count: 500, end: Date.UTC(2026, 0, 2) });
  await page.goto('/#/settings/logs?to=2026-01-02T00:00');
  const list = page.getByRole('region', { name: 'Operation log' });
  const table = list.getByRole('table', { name: 'Operation log' });
  await expect(table.getByRole('row').nth(1)).toContainText('Night');
  const total = Number(await table.getAttribute('aria-rowcount'));
  expect(total).toBeGreaterThan(500);
  await scrollToEnd(list, page.getByText('No older entries'));
  await expect(table.locator(`[aria-rowindex="${total}"]`)).toBeInViewport();
  await expect(table.locator('[aria-rowindex="2"]')).toHaveCount(0);
  expect(await table.getByRole('row').count()).toBeLessThan(200);
  await page.getByRole('button', { name: 'Jump to latest' }).click();
  await expect(table.locator('[aria-rowindex="2"]')).toBeInViewport();
});

test('the log is filtered by time, user and result, and the address keeps the filters', async ({ page, hub }) => {
  fillOperationLog(join(hub.dataDir, 'hub.sqlite'), { count: 120, end: Date.UTC(2025, 5, 1, 12) });
  await page.goto('/#/settings/logs?from=2025-06-01T00:00&to=2025-06-01T12:00');
  const list = page.getByRole('region', { name: 'Operation log' });
  const count = (text: string) => expect(page.getByText(text, { exact: true })).toBeVisible();
  await count('120 entries');
  await page.getByRole('combobox', { name: 'User' }).fill('Rare');
  await count('1 entry');
  await expect(list).toContainText('192.0.2.7');
  await page.getByRole('combobox', { name: 'User' }).fill('');
  await page.getByRole('combobox', { name: 'Result' }).selectOption('Failure');
  await count('3 entries');
  await expect(list).toContainText('Wrong password');
  await page.reload();
  await count('3 entries');
  await page.getByLabel('Until').fill('2025-05-01 00:00');
  await expect(page.getByText('The end is before the start.')).toBeVisible();
  await list.getByRole('button', { name: 'Clear the filters' }).click();
  await expect(page).toHaveURL(/settings\/logs$/);
  await expect(list.getByRole('row').nth(1)).toBeVisible();
});

test('the download contains what is shown', async ({ page, hub }) => {
  fillOperationLog(join(hub.dataDir, 'hub.sqlite'), { count: 60, end: Date.UTC(2025, 3, 1, 12) });
  await page.goto('/#/settings/logs?from=2025-04-01T00:00&to=2025-04-01T12:00&result=failure');
  await expect(page.getByText('2 entries')).toBeVisible();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download as CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('operations.csv');
  const [head, ...lines] = readFileSync(await download.path(), 'utf8')
    .trimEnd()
    .split('\r\n');
  expect(head).toContain('Time,User,IP address');
  expect(lines).toHaveLength(2);
  for (const line of lines) expect(line).toMatch(/,mismatch$/);
});
