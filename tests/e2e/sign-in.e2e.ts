import { accounts } from './accounts.ts';
import { expect, test } from './console-test.ts';
import { notSignedIn } from './page-faults.ts';

test.use({ account: 'nobody' });
test.beforeEach(({ faults }) => faults.expect(notSignedIn));

test('a wrong password is refused in one sentence, and the right one opens the dashboard', async ({ page }) => {
  await page.goto('/');
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Username' })).toBeFocused();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByText('Required')).toHaveCount(2);

  await page.getByRole('textbox', { name: 'Username' }).fill(accounts.admin.id);
  await page.getByLabel('Password', { exact: true }).fill('not the password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('alert')).toHaveText('Incorrect username or password.');

  await page.getByLabel('Password', { exact: true }).fill(accounts.admin.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  // The focus does not stay on a form that is gone.
  await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeFocused();
});

test('an unknown name gets the same answer as a wrong password', async ({ page }) => {
  await page.goto('/#/login');
  await page.getByRole('textbox', { name: 'Username' }).fill('nobody');
  await page.getByLabel('Password', { exact: true }).fill('whatever');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('alert')).toHaveText('Incorrect username or password.');
});

test('the requested page opens after sign-in', async ({ page }) => {
  await page.goto('/#/stream/channels?q=none-of-them&sort=-name');
  await expect(page).toHaveURL(/#\/login\?return_url=/);
  await page.getByRole('textbox', { name: 'Username' }).fill(accounts.admin.id);
  await page.getByLabel('Password', { exact: true }).fill(accounts.admin.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page).toHaveURL(/#\/stream\/channels\?q=none-of-them&sort=-name$/);
  await expect(page.getByRole('heading', { name: 'Channels', level: 1 })).toBeVisible();
});

test('an address of another origin is not opened after sign-in', async ({ page, hub }) => {
  await page.goto(`/#/login?return_url=${encodeURIComponent('//elsewhere.example/')}`);
  await page.getByRole('textbox', { name: 'Username' }).fill(accounts.admin.id);
  await page.getByLabel('Password', { exact: true }).fill(accounts.admin.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page).toHaveURL(`${hub.url}/#/dashboard`);
});

test('signing out leaves nothing that the Back button could show', async ({ page, context, hub, faults }) => {
  faults.expect(/\b401\b/);
  await page.goto('/#/login');
  await page.getByRole('textbox', { name: 'Username' }).fill(accounts.admin.id);
  await page.getByLabel('Password', { exact: true }).fill(accounts.admin.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Account of Admin' }).click();
  const reloaded = page.waitForEvent('load');
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await reloaded;
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  const cookies = await context.cookies(hub.url);
  expect(cookies.filter((cookie) => cookie.httpOnly)).toEqual([]);
  await page.evaluate(() => history.back());
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await expect(page.getByRole('navigation', { name: 'Main menu' })).toHaveCount(0);
});
