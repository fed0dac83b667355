import { startHub } from '../integration/hub-process.ts';
import { axeFaults } from './axe.ts';
import { expect, test } from './console-test.ts';
import { notSignedIn } from './page-faults.ts';
import { showIn } from './views.ts';

test.use({ account: 'nobody' });

test('the first start asks only for a password, and then signs in with it', async ({ page, faults }) => {
  const fresh = await startHub({ env: { SIGNALBOX_ADMIN_PASSWORD: '' } });
  try {
    faults.expect(notSignedIn, /\b(409|403|503)\b.*\/api\/session/);
    await page.goto(`${fresh.url}/#/stream/channels`);
    await expect(page.getByRole('heading', { name: 'Welcome' })).toBeVisible();
    await expect(page.getByRole('textbox', { name: 'Username' })).toHaveValue('Admin');
    await expect(page.getByRole('navigation', { name: 'Main menu' })).toHaveCount(0);

    await page.getByLabel('Password', { exact: true }).fill('weak');
    await page.getByRole('button', { name: 'Create account and continue' }).click();
    await expect(page.getByText('The password does not meet the rules yet')).toBeVisible();
    for (const colorScheme of ['dark', 'light'] as const) {
      await showIn(page, colorScheme);
      expect(await axeFaults(page), colorScheme).toEqual([]);
    }

    await page.getByLabel('Password', { exact: true }).fill('Over-the-hill1');
    await expect(page.getByRole('img', { name: 'not met yet' })).toHaveCount(0);
    await page.getByLabel('Repeat the password', { exact: true }).fill('Over-the-hill2');
    await page.getByRole('button', { name: 'Create account and continue' }).click();
    await expect(page.getByText("Passwords don't match")).toBeVisible();

    await page.getByLabel('Repeat the password', { exact: true }).fill('Over-the-hill1');
    await page.getByRole('button', { name: 'Create account and continue' }).click();
    await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();

    // Set-up is done once: the page is gone, and signing in needs the chosen password.
    await page.goto(`${fresh.url}/#/setup`);
    await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();
    await page.getByRole('button', { name: 'Account of Admin' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('textbox', { name: 'Username' }).fill('Admin');
    await page.getByLabel('Password', { exact: true }).fill('Over-the-hill1');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();
  } finally {
    await page.close();
    await fresh.stop();
  }
});
