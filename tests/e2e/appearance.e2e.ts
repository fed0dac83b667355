import { expect, test } from './console-test.ts';

const han = /^[\p{Script=Han}]+$/u;

test('Chinese is chosen once and stays, and the whole menu is in Chinese', async ({ page }) => {
  await page.goto('/#/dashboard');
  await page.getByRole('button', { name: 'Language: EN' }).click();
  await page.getByRole('menuitemradio', { name: '中文' }).click();
  await expect(page.getByRole('button', { name: '语言：中' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('button', { name: '语言：中' })).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh-CN');
  const menu = page.getByRole('navigation').first();
  const words = [
    ...(await menu.getByRole('link').allInnerTexts()),
    ...(await menu.getByRole('heading').allInnerTexts()),
  ].map((text) => text.trim());
  expect(words.length).toBeGreaterThan(7);
  for (const word of words) expect(word).toMatch(han);

  await page.getByRole('button', { name: '语言：中' }).click();
  await page.getByRole('menuitemradio', { name: 'English' }).click();
  await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();
});

test('the color scheme is chosen once and stays; without a choice the system decides', async ({ page }) => {
  const scheme = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto('/#/dashboard');
  await expect.poll(scheme).toBe('dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await expect.poll(scheme).toBe('light');
  await page.getByRole('button', { name: 'Appearance' }).click();
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  await expect.poll(scheme).toBe('dark');
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();
  expect(await scheme()).toBe('dark');
});

test('an address that does not exist offers a way back', async ({ page }) => {
  await page.goto('/#/no/such/page');
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  await page.getByRole('link', { name: 'Go to the dashboard' }).click();
  await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();
});

test('every page has its own title and shows its place', async ({ page, stage }) => {
  const channel = await stage.channel('Titled');
  const titles: Record<string, string> = {
    '/dashboard': 'Dashboard',
    '/stream/channels': 'Channels',
    [`/stream/channel/detail/${channel.id}`]: channel.name,
    '/stream/input': 'Inputs',
    '/stream/output': 'Outputs',
    '/stream/server': 'Destinations',
    '/settings/general': 'General',
    '/settings/logs': 'Logs',
  };
  for (const [path, title] of Object.entries(titles)) {
    await page.goto(`/#${path}`);
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
    await expect(page).toHaveTitle(new RegExp(`^${title}, `));
    const crumbs = page.getByRole('navigation', { name: 'Breadcrumb' });
    await expect(crumbs.getByRole('listitem').last()).toHaveText(path === '/settings/logs' ? 'Logs' : title);
  }
});
