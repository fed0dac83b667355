/** What a browser asks the hub for when it opens the console. */
import type { Page } from '@playwright/test';
import { expect, test } from './console-test.ts';

function askedFor(page: Page, path: string): string[] {
  const asked: string[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.pathname === path) asked.push(url.search);
  });
  return asked;
}

for (const { path, heading } of [
  { path: '/dashboard', heading: 'Dashboard' },
  { path: '/stream/channels', heading: 'Channels' },
]) {
  test(`${path} opens one event stream, even if the code of its parts arrives one after another`, async ({ page }) => {
    let scripts = 0;
    await page.route(/\/assets\/.*\.js$/, async (route) => {
      scripts += 1;
      await new Promise((resolve) => setTimeout(resolve, (scripts % 4) * 120));
      await route.continue();
    });
    const streams = askedFor(page, '/api/events');
    const opening = page.waitForResponse((response) => response.url().includes('/api/events'));
    await page.goto(`/#${path}`);
    await expect(page.getByRole('heading', { name: heading, level: 1 })).toBeVisible();
    await opening;
    // The last parts: alarm bell and tray.
    await page.waitForLoadState('load');
    await expect(page.getByRole('banner').getByRole('link', { name: /^Alarms/ })).toBeVisible();
    expect(streams).toHaveLength(1);
    expect(new URLSearchParams(streams[0]).get('topics')?.split(',')).toContain('channels');
  });
}

test.describe('without a session', () => {
  test.use({ account: 'nobody' });

  test('the sign-in page asks once whether the hub is set up and which language it has', async ({ page }) => {
    const asked = askedFor(page, '/api/setup');
    await page.goto('/');
    await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
    expect(asked).toHaveLength(1);
  });
});
