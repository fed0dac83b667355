import { adminPassword, startHub } from '../integration/hub-process.ts';
import { signInCookie } from './accounts.ts';
import { axeFaults } from './axe.ts';
import { expect, test } from './console-test.ts';
import { notSignedIn } from './page-faults.ts';

test('the appearance is chosen, kept, and applied to the top bar', async ({ page }) => {
  const scheme = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
  await page.goto('/#/settings/profile');
  const choice = page.getByRole('radiogroup', { name: 'Appearance' });
  await expect(choice.getByRole('radio', { name: 'Same as the system' })).toBeChecked();
  await choice.getByText('Dark').click();
  await expect.poll(scheme).toBe('dark');
  await page.reload();
  await expect(choice.getByRole('radio', { name: 'Dark' })).toBeChecked();
  expect(await scheme()).toBe('dark');
  await page.getByRole('button', { name: 'Appearance' }).click();
  await page.getByRole('menuitemradio', { name: 'Same as the system' }).click();
  await expect(choice.getByRole('radio', { name: 'Same as the system' })).toBeChecked();
  await expect.poll(scheme).toBe('light');
});

test('when switched off, no single key acts anywhere, and the help sheet says so', async ({ page, stage }) => {
  await stage.channel('Keyed');
  const sheet = page.getByRole('dialog', { name: 'Keyboard' });
  const search = page.getByRole('searchbox', { name: 'Search' });
  const openChannels = async () => {
    await page.goto('/#/stream/channels');
    await expect(search).toBeVisible();
  };
  await openChannels();
  // The help sheet is loaded after the page: the key is pressed until it is shown.
  await expect(async () => {
    await page.keyboard.press('?');
    await expect(sheet).toBeVisible({ timeout: 1000 });
  }).toPass();
  await expect(sheet.getByText('Single keys are switched off')).toHaveCount(0);
  expect(await axeFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(sheet).toHaveCount(0);
  await page.keyboard.press('/');
  await expect(search).toBeFocused();
  await page.keyboard.type('/?');
  await expect(search).toHaveValue('/?');
  await expect(sheet).toHaveCount(0);

  await page.goto('/#/settings/profile');
  await page.getByRole('switch', { name: 'Single-key shortcuts' }).press('Space');
  await expect(page.getByRole('switch', { name: 'Single-key shortcuts' })).not.toBeChecked();
  await page.getByRole('button', { name: 'All keys' }).click();
  await expect(sheet.getByText('Single keys are switched off')).toBeVisible();
  expect(await axeFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/settings\/profile$/);
  await page.reload();
  await expect(page.getByRole('switch', { name: 'Single-key shortcuts' })).not.toBeChecked();
  await openChannels();
  await page.keyboard.press('/');
  await page.keyboard.press('?');
  await page.keyboard.press('Control+k');
  // Shortcuts with a modifier still work, and the dialog tells why the others do not.
  await expect(page.getByRole('dialog', { name: 'Go to' })).toContainText('Single keys are switched off.');
  await expect(page.getByRole('combobox', { name: 'Search' })).toHaveValue('');
  await page.keyboard.press('Escape');
  await expect(search).not.toBeFocused();
  await expect(search).toHaveValue('');
  await expect(sheet).toHaveCount(0);
});

test('a password is changed with the keyboard alone, by the hub’s rule, and the old one stops working', async ({
  page,
  context,
  faults,
}) => {
  const hub = await startHub({});
  try {
    await hub.login();
    await hub.api('/api/settings/set', { 'pwd-rule': { length: 11, number: 1, 'chk-name': 1 } });
    await hub.api('/api/usr/add', { name: 'kim', password: 'first-word-1', 'group-id': 4 });
    await context.addCookies([await signInCookie(hub, { id: 'kim', password: 'first-word-1' })]);
    const { keyboard } = page;
    const goTo = async () => {
      await keyboard.press('Control+k');
      await expect(page.getByRole('dialog', { name: 'Go to' }).getByRole('combobox')).toBeFocused();
      await keyboard.type('change password');
      await expect(page.getByRole('option', { name: 'Change password' })).toHaveAttribute('aria-selected', 'true');
      await keyboard.press('Enter');
    };
    await page.goto(`${hub.url}/#/dashboard`);
    await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();
    await goTo();
    const dialog = page.getByRole('dialog', { name: 'Change password' });
    const field = (name: string) => dialog.getByLabel(name, { exact: true });
    const rules = dialog.getByRole('list', { name: 'Password rules' });
    const isMet = (rule: string) => rules.getByRole('listitem').filter({ hasText: rule }).getByRole('img');
    await expect(field('Current password')).toBeFocused();
    await keyboard.type('not that one');
    await keyboard.press('Tab');
    await expect(field('New password')).toBeFocused();
    await keyboard.type('kim-1');
    await expect(isMet('At least 11 characters')).toHaveAccessibleName('not met yet');
    await expect(isMet('Does not contain the username')).toHaveAccessibleName('not met yet');
    await expect(isMet('Digits: at least 1')).toHaveAccessibleName('met');
    await keyboard.press('Enter');
    await expect(field('New password')).toBeFocused();
    await expect(dialog.getByText('The password does not meet the rules yet')).toBeVisible();
    expect(await axeFaults(page)).toEqual([]);
    await keyboard.press('Control+a');
    await keyboard.type('second-word-2');
    await keyboard.press('Tab');
    await keyboard.type('second-word-2');
    await keyboard.press('Enter');
    // Only the hub knows the current one.
    await expect(field('Current password')).toBeFocused();
    await expect(field('Current password')).toHaveAttribute('aria-invalid', 'true');
    await keyboard.press('Control+a');
    await keyboard.type('first-word-1');
    const other = await signInCookie(hub, { id: 'kim', password: 'first-word-1' });
    await keyboard.press('Enter');
    await expect(page.getByText('Your password was changed.')).toBeVisible();
    await expect(dialog).toHaveCount(0);

    // This session continues with a new session string, all others have ended.
    await page.reload();
    await expect(page.getByRole('heading', { name: 'Profile', level: 1 })).toBeVisible();
    await expect(page.getByRole('region', { name: 'Active sessions' }).getByRole('listitem')).toHaveCount(1);
    const answer = await fetch(`${hub.url}/api/session`, { headers: { cookie: `${other.name}=${other.value}` } });
    expect(await answer.json()).toMatchObject({ result: 37, params: { reason: 'passwordChanged' } });
    await expect(signInCookie(hub, { id: 'kim', password: 'first-word-1' })).rejects.toThrow('39');
    await signInCookie(hub, { id: 'kim', password: 'second-word-2' });
    faults.expect(notSignedIn);
  } finally {
    await page.close();
    await hub.stop();
  }
});

test('users see where they are signed in, and end one session or all others', async ({ page, context, faults }) => {
  const hub = await startHub({});
  try {
    await hub.login();
    faults.expect(notSignedIn);
    const others = [];
    for (let count = 0; count < 3; count++) {
      others.push(await signInCookie(hub, { id: 'Admin', password: adminPassword }));
    }
    const isOpen = async ({ name, value }: { name: string; value: string }) => {
      const answer = await fetch(`${hub.url}/api/session`, { headers: { cookie: `${name}=${value}` } });
      return ((await answer.json()) as { result: number }).result === 0;
    };
    await page.goto(`${hub.url}/#/login`);
    await page.getByRole('textbox', { name: 'Username' }).fill('Admin');
    await page.getByLabel('Password', { exact: true }).fill(adminPassword);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();
    await page.goto(`${hub.url}/#/settings/profile`);
    const list = page.getByRole('region', { name: 'Active sessions' });
    const rows = list.getByRole('listitem');
    // The three, the session of the test itself, and this browser.
    await expect(rows).toHaveCount(5);
    const own = rows.filter({ hasText: 'This session' });
    await expect(own).toContainText(/Chrome \d+ · Linux/);
    await expect(own).toContainText('127.0.0.1');
    await expect(own.getByRole('button')).toHaveCount(0);
    expect(await axeFaults(page)).toEqual([]);

    await rows
      .nth(1)
      .getByRole('button', { name: /^End the session of Bun/ })
      .click();
    await expect(rows).toHaveCount(4);
    expect(await Promise.all(others.map(isOpen))).toEqual([true, true, false]);
    await list.getByRole('button', { name: 'Sign out all others' }).press('Enter');
    await expect(rows).toHaveCount(1);
    await expect(list.getByRole('button', { name: 'Sign out all others' })).toHaveCount(0);
    expect(await Promise.all(others.map(isOpen))).toEqual([false, false, false]);
    // Keyboard users keep their place instead of returning to the top of the document.
    await expect(page.getByRole('heading', { name: 'Profile', level: 1 })).toBeFocused();
    expect(await context.cookies(hub.url)).not.toEqual([]);
  } finally {
    await page.close();
    await hub.stop();
  }
});

test('the account menu leads to profile, password and keyboard', async ({ page }) => {
  await page.goto('/#/stream/channels');
  const choose = async (name: string) => {
    await page.getByRole('button', { name: 'Account of Admin' }).click();
    await page.getByRole('menuitem', { name, exact: true }).click();
  };
  await choose('Keyboard');
  await page.getByRole('dialog', { name: 'Keyboard' }).getByRole('button', { name: 'Close' }).first().click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await choose('Change password');
  await expect(page.getByRole('dialog', { name: 'Change password' })).toBeVisible();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.goto('/#/stream/channels');
  await choose('Profile');
  await expect(page.getByRole('heading', { name: 'Profile', level: 1 })).toBeVisible();
  // An administrator's screen must not stay open.
  await expect(page.getByRole('switch', { name: 'Stay signed in on this screen' })).toBeDisabled();
});

test.describe('a wall display', () => {
  test.use({ account: 'viewer' });

  test('stays signed in if its user only views', async ({ page }) => {
    await page.goto('/#/settings/profile');
    const stay = page.getByRole('switch', { name: 'Stay signed in on this screen' });
    await stay.setChecked(true, { force: true });
    await expect(stay).toBeChecked();
    await page.reload();
    await expect(stay).toBeChecked();
    const seconds = await page.evaluate(async () => (await (await fetch('/api/session')).json())['expires-in']);
    expect(seconds).toBe(-1);
    await stay.setChecked(false, { force: true });
    await expect(stay).not.toBeChecked();
    expect(await axeFaults(page)).toEqual([]);
  });
});
