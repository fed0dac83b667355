import type { Page } from '@playwright/test';
import { type HubProcess, startHub } from '../integration/hub-process.ts';
import { signInCookie } from './accounts.ts';
import { axeFaults } from './axe.ts';
import { expect, test } from './console-test.ts';
import { notSignedIn } from './page-faults.ts';
import { showIn } from './views.ts';

test.use({ account: 'nobody' });

/** These tests restart their hub, so each has its own. */
async function withHub(page: Page, env: Record<string, string>, use: (hub: HubProcess) => Promise<void>) {
  const hub = await startHub({ env });
  try {
    await hub.login();
    await page.context().addCookies([await signInCookie(hub, 'admin')]);
    await use(hub);
  } finally {
    await page.context().close();
    await hub.stop();
  }
}

async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await showIn(page, colorScheme);
    expect(await axeFaults(page), colorScheme).toEqual([]);
  }
}

const isAway = [
  notSignedIn,
  /\b(409|403|503)\b/,
  /ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE_CHUNKED|Failed to fetch/,
];

test('settings are exported, changed, and imported again after a look at what changes; another console comes back', async ({
  page,
  context,
  faults,
}) => {
  faults.expect(...isAway);
  await withHub(page, {}, async (hub) => {
    await hub.api('/api/channel/add', { name: 'Arena', config: { 'push-key': 'kept-push-key' } });
    await page.goto(`${hub.url}/#/settings/general?group=all`);
    await page.getByRole('button', { name: 'Export…' }).click();
    await page.getByLabel('Passphrase', { exact: true }).fill('open sesame');
    await page.getByLabel('Repeat the passphrase', { exact: true }).fill('open sesame');
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const file = await (await downloading).path();

    await hub.api('/api/channel/set', { name: 'Arena', config: { 'push-key': 'another-key' } });
    await hub.api('/api/input/source/add', { name: 'Late', config: { url: 'http://192.0.2.1/live.ts' } });
    const other = await context.newPage();
    await other.goto(`${hub.url}/#/stream/input`);
    await expect(other.getByText('Late', { exact: true })).toBeVisible();

    await page.getByRole('link', { name: 'Import…' }).click();
    await expect(page.getByRole('navigation', { name: 'Main menu' })).toHaveCount(0);
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByLabel('Passphrase of the file', { exact: true }).fill('not this one');
    await page.getByRole('button', { name: 'Show what would change' }).click();
    await expect(page.getByText('Wrong passphrase')).toBeVisible();
    await page.getByLabel('Passphrase of the file', { exact: true }).fill('open sesame');
    await page.getByRole('button', { name: 'Show what would change' }).click();
    await expect(page.getByText('Arena (secrets)')).toBeVisible();
    await expect(page.getByText('Late')).toBeVisible();
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Import and restart' }).click();
    await expect(page.getByRole('status')).toContainText('This usually takes');
    await expect(other.getByRole('heading', { name: 'Settings are being imported' })).toBeVisible();
    await page.getByRole('link', { name: 'Go to the dashboard' }).click();
    await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();
    await expect(other.getByRole('heading', { name: 'Settings are being imported' })).toHaveCount(0);
    await expect(other.getByText('Late', { exact: true })).toHaveCount(0);
  });
});

test('a reset asks for the name of the hub, and leads to the choice of the first password', async ({
  page,
  faults,
}) => {
  faults.expect(...isAway);
  const env = { SIGNALBOX_ADMIN_PASSWORD: '' };
  const hub = await startHub({ env });
  try {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ password: 'integration-only' });
    await fetch(`${hub.url}/api/setup`, { method: 'POST', body, headers });
    await hub.login();
    await hub.api('/api/settings/set', { 'hub-name': 'Truck 4' });
    await page.context().addCookies([await signInCookie(hub, 'admin')]);
    await page.goto(`${hub.url}/#/reset-all-settings`);
    const reset = page.getByRole('button', { name: 'Reset all settings' });
    await expect(reset).toBeDisabled();
    await expectAccessible(page);
    await page.getByLabel('Type the name of the hub to confirm: Truck 4').fill('Truck 4');
    await reset.click();
    await expect(page.getByText(/^[2-9A-Z]{5}-[2-9A-Z]{5}$/)).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Welcome' })).toBeVisible({ timeout: 30_000 });
  } finally {
    await page.context().close();
    await hub.stop();
  }
});
