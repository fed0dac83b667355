import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import type { Page } from '@playwright/test';
import { fillSystemLog } from '../fixtures/long-log.ts';
import type { HubProcess } from '../integration/hub-process.ts';
import { expect, test } from './console-test.ts';
import { scrollToEnd } from './long-list.ts';

const lineWith = (page: Page, text: string) =>
  page.getByRole('list', { name: 'System log' }).getByRole('listitem').filter({ hasText: text });

let knocks = 0;

/**
 * Makes the hub log a line by connecting to its RTMP port and disconnecting. Returns the caller's name in it, each time
 * another address, because the hub folds lines about the same one.
 */
async function knock(hub: HubProcess): Promise<string> {
  const localAddress = `127.0.1.${++knocks}`;
  const socket = createConnection({ host: '127.0.0.1', port: hub.ports.rtmp, localAddress });
  await once(socket, 'connect');
  const { localPort } = socket;
  socket.end();
  return `${localAddress}:${localPort}`;
}

test('new lines of the hub appear while the user watches, and wait while the user reads further down', async ({
  page,
  hub,
}) => {
  fillSystemLog(hub.dataDir, { count: 300, end: Date.now() });
  await page.goto('/#/settings/logs?log=system');
  await expect(page.getByRole('status').filter({ hasText: 'Following' })).toBeVisible();
  await expect(lineWith(page, 'connection 299 from').first()).toBeVisible();
  await expect(lineWith(page, await knock(hub)).first()).toBeInViewport();

  const list = page.getByRole('region', { name: 'System log' });
  await list.evaluate((element) => element.scrollTo({ top: 400 }));
  await expect(page.getByRole('status').filter({ hasText: 'Paused' })).toBeVisible();
  const shown = lineWith(page, 'connection 280 from');
  const before = await shown.boundingBox();
  const peer = await knock(hub);
  const waiting = page.getByRole('button', { name: /new lines?$/ });
  await expect(waiting).toBeVisible();
  expect(await shown.boundingBox()).toEqual(before);
  await expect(lineWith(page, peer)).toHaveCount(0);
  await waiting.click();
  await expect(lineWith(page, peer).first()).toBeInViewport();
  await expect(page.getByRole('status').filter({ hasText: 'Following' })).toBeVisible();
});

test('following can be switched off, and the missed lines are there when it is on again', async ({ page, hub }) => {
  await page.goto('/#/settings/logs?log=system');
  await expect(lineWith(page, await knock(hub)).first()).toBeVisible();
  await page.getByRole('switch', { name: 'Follow' }).click();
  await expect(page.getByText('Not following')).toBeVisible();
  const missed = await knock(hub);
  await expect.poll(() => hub.logs()).toContain(missed);
  await page.getByRole('switch', { name: 'Follow' }).click();
  await expect(lineWith(page, missed).first()).toBeVisible();
});

test('lines are filtered by level and text, reached by scrolling, and downloaded', async ({ page, hub }) => {
  fillSystemLog(hub.dataDir, { count: 400, end: Date.now() });
  await page.goto('/#/settings/logs?log=system');
  const list = page.getByRole('list', { name: 'System log' });
  await page.getByRole('combobox', { name: 'Level' }).selectOption('Errors');
  await expect(list.getByRole('listitem').first()).toContainText('Error');
  await expect(list).not.toContainText('Information');
  await page.getByRole('combobox', { name: 'Level' }).selectOption('All');
  await page.getByRole('searchbox', { name: 'Search' }).fill('studio-77 reason');
  await expect(lineWith(page, 'studio-77 reason').first()).toBeVisible();
  await expect(list).not.toContainText('studio-8');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download' }).click(),
  ]);
  const lines = readFileSync(await download.path(), 'utf8')
    .trimEnd()
    .split('\n');
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) expect(line).toContain('studio-77 reason');
  await page.getByRole('searchbox', { name: 'Search' }).fill('nothing of that kind');
  await expect(page.getByText('Nothing matches the search')).toBeVisible();
  await page.getByRole('searchbox', { name: 'Search' }).fill('');
  await scrollToEnd(page.getByRole('region', { name: 'System log' }), page.getByText('No older entries'));
  expect(await list.getByRole('listitem').count()).toBeLessThan(200);
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('both logs are cards with collapsed filters', async ({ page, stage }) => {
    const channel = await stage.channel('Pocket log');
    await page.goto('/#/settings/logs');
    const card = page.getByRole('list', { name: 'Operation log' }).getByRole('listitem').first();
    await expect(card).toContainText('Success');
    await expect(page.getByRole('group', { name: 'Filters' })).toHaveCount(0);
    await page.getByRole('searchbox', { name: 'Search' }).fill(channel.name);
    await expect(card).toContainText('Added a channel');
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByRole('combobox', { name: 'Result' }).selectOption('Failure');
    await expect(page.getByText('Nothing matches the filters')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Filters (1)' })).toBeVisible();
    await page.getByText('System', { exact: true }).click();
    await expect(page.getByRole('list', { name: 'System log' }).getByRole('listitem').first()).toBeVisible();
    await expect(page.getByRole('group', { name: 'Filters' })).toHaveCount(0);
  });
});
