/** Pages of a hub with 200 channels. A hub double provides them, because no machine can stream as many. */

import { join } from 'node:path';
import { test as base, expect } from '@playwright/test';
import { leasePort } from '../support/ports.ts';

const test = base.extend<{ hubUrl: string }>({
  hubUrl: async ({ page }, use) => {
    const port = leasePort();
    const program = join(import.meta.dirname, '../sim/hub-double.ts');
    const double = Bun.spawn([process.execPath, program, String(port), '200'], { stdout: 'pipe' });
    try {
      await double.stdout.getReader().read();
      const url = `http://127.0.0.1:${port}`;
      await page.goto(`${url}/#/login`);
      await page.getByRole('textbox', { name: 'Username' }).fill('Admin');
      await page.getByLabel('Password', { exact: true }).fill('any');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await use(url);
    } finally {
      double.kill();
      await double.exited;
    }
  },
});

test('the dashboard of 200 channels ends within two screens, with the lost programs first', async ({
  page,
  hubUrl,
}) => {
  await page.goto(`${hubUrl}/#/dashboard`);
  const attention = page.getByRole('region', { name: 'Needs attention' });
  const onAir = page.getByRole('region', { name: 'On air' });
  for (const [width, height] of [
    [1440, 900],
    [1280, 720],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    await expect(page.getByRole('region', { name: 'Hub load' }).getByRole('img', { name: /^CPU/ })).toBeVisible();
    await expect(attention.getByRole('listitem').first()).toContainText('No data');
    await expect(attention.getByRole('listitem').first()).toBeInViewport();
    await expect(onAir.getByRole('link', { name: 'All 200 channels' })).toBeVisible();
    await expect(onAir.getByRole('link', { name: 'See all 90 live channels' })).toBeVisible();
    const main = page.getByRole('main');
    const overhang = await main.evaluate((element) => element.scrollHeight - element.clientHeight);
    expect(overhang, `below the first screen of ${width}×${height}`).toBeLessThanOrEqual(height);
  }
});
