import type { BrowserContext, Page } from '@playwright/test';
import { limits } from '../../daemon/contract/limits.ts';
import { groupTypes } from '../../daemon/contract/permission.ts';
import type { HubProcess } from '../integration/hub-process.ts';
import { signInCookie } from './accounts.ts';
import { notSignedIn } from './page-faults.ts';
import { expect, password, test } from './people-test.ts';

const field = (page: Page, name: string) => page.getByRole('dialog').getByLabel(name, { exact: true });
const rowOf = (page: Page, name: string) => page.getByRole('table', { name: 'Users' }).getByRole('row', { name });

async function act(page: Page, user: string, item: string): Promise<void> {
  await page.getByRole('button', { name: `More actions for ${user}` }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

test('a user is added once every field is valid, and the password rule is checked off while typing', async ({
  page,
  hub,
  people,
}) => {
  await people.user('harbour');
  const rule = { length: 11, number: 1, 'chk-name': 1 };
  await hub.api('/api/settings/set', { 'pwd-rule': rule });
  await page.goto('/#/settings/user');
  await page.getByRole('button', { name: 'Add user' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add user' });
  const add = dialog.getByRole('button', { name: 'Add user' });
  await expect(field(page, 'Username')).toBeFocused();

  await field(page, 'Username').fill('no');
  await field(page, 'New password').fill('no-1');
  await field(page, 'Repeat the password').fill('other');
  await add.click();
  await expect(field(page, 'Username')).toBeFocused();
  await expect(field(page, 'Username')).toHaveAccessibleDescription(/At least 3 characters/);
  await expect(field(page, 'New password')).toHaveAccessibleDescription(/does not meet the rules yet/);

  await field(page, 'Username').fill('harbour');
  const demands = dialog.getByRole('list', { name: 'Password rules' });
  const met = (text: string) => demands.getByRole('listitem').filter({ hasText: text }).getByRole('img');
  await expect(met('At least 11 characters')).toHaveAccessibleName('not met yet');
  await field(page, 'New password').fill('Harbour-1735');
  await expect(met('At least 11 characters')).toHaveAccessibleName('met');
  await expect(met('Does not contain the username')).toHaveAccessibleName('not met yet');
  await field(page, 'New password').fill('Quay-side-17');
  await expect(met('Does not contain the username')).toHaveAccessibleName('met');
  await add.click();
  await expect(field(page, 'Repeat the password')).toHaveAccessibleDescription(/don't match/);
  await field(page, 'Repeat the password').fill('Quay-side-17');
  await add.click();
  await expect(field(page, 'Username')).toHaveAccessibleDescription(/Already in use/);

  await field(page, 'Username').fill('jetty');
  await field(page, 'Display name').fill('Quay side');
  await dialog.getByRole('combobox', { name: 'Group' }).selectOption('User');
  await add.click();
  await expect(dialog).toHaveCount(0);
  await expect(rowOf(page, 'jetty')).toContainText('Quay side');
  await expect(rowOf(page, 'jetty').getByRole('link', { name: 'User' })).toBeVisible();
  await signInCookie(hub, { id: 'jetty', password: 'Quay-side-17' });
  await hub.api('/api/settings/set', { 'pwd-rule': {} });
});

test('a concurrent change of another administrator is shown, and accepted or overwritten', async ({
  page,
  hub,
  people,
}) => {
  const id = await people.user('tide');
  await page.goto(`/#/settings/user?dialog=edit&id=${id}`);
  const dialog = page.getByRole('dialog', { name: 'Edit user “tide”' });
  const save = dialog.getByRole('button', { name: 'Save' });
  await field(page, 'Display name').fill('Mine');
  await hub.api('/api/usr/set', { name: 'tide', nick: 'Theirs' });
  await save.click();
  await expect(dialog).toContainText('You changed it in another tab');
  await expect(dialog).toContainText('Theirs');
  await expect(field(page, 'Display name')).toHaveValue('Mine');
  await dialog.getByRole('button', { name: 'Discard mine and load theirs' }).click();
  await expect(field(page, 'Display name')).toHaveValue('Theirs');
  await expect(dialog).not.toContainText('in another tab');

  await field(page, 'Display name').fill('Mine after all');
  await hub.api('/api/usr/set', { name: 'tide', nick: 'Theirs again' });
  await save.click();
  await dialog.getByRole('button', { name: 'Overwrite with mine' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(rowOf(page, 'tide')).toContainText('Mine after all');
});

test('setting a user’s password ends the sessions with the old one', async ({ page, hub, people }) => {
  await people.user('buoy');
  const cookie = await signInCookie(hub, { id: 'buoy', password });
  await page.goto('/#/settings/user');
  await act(page, 'buoy', 'Set password');
  const dialog = page.getByRole('dialog', { name: 'Set the password of “buoy”' });
  await field(page, 'New password').fill(' Two words at night');
  await dialog.getByRole('button', { name: 'Set password' }).click();
  await expect(field(page, 'New password')).toHaveAccessibleDescription(/No space at the beginning or end/);
  await field(page, 'New password').fill('Lighthouse-9');
  await field(page, 'Repeat the password').fill('Lighthouse-9');
  await dialog.getByRole('button', { name: 'Set password' }).click();
  await expect(dialog).toHaveCount(0);
  const headers = { cookie: `${cookie.name}=${cookie.value}` };
  const { result } = (await (await fetch(`${hub.url}/api/session`, { headers })).json()) as { result: number };
  expect(result).toBe(37);
  await signInCookie(hub, { id: 'buoy', password: 'Lighthouse-9' });
});

test('a user is deleted after confirmation; Admin and the own account stay', async ({ page, people }) => {
  await people.user('gull');
  await page.goto('/#/settings/user');
  await act(page, 'gull', 'Delete');
  const confirm = page.getByRole('dialog', { name: 'Delete user “gull”?' });
  await expect(confirm).toContainText('end immediately');
  await confirm.getByRole('button', { name: 'Delete user' }).click();
  await expect(confirm).toHaveCount(0);
  await expect(rowOf(page, 'gull')).toHaveCount(0);

  await page.getByRole('button', { name: 'More actions for Admin' }).click();
  await expect(page.getByRole('menuitem')).toHaveText(['Edit']);
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit user “Admin”' });
  await expect(dialog.getByRole('combobox', { name: 'Group' })).toBeDisabled();
  await expect(dialog.getByRole('textbox', { name: 'Username' })).toHaveCount(0);
});

test('at the maximum number of users the page shows the limit', async ({ page, people, hub }) => {
  test.setTimeout(90_000);
  const { users } = await hub.api<{ users: unknown[] }>('/api/usr/list');
  for (let count = users.length; count < limits.users; count++) await people.user(`crew_${count}`);
  await page.goto('/#/settings/user');
  const limit = page.getByRole('paragraph').filter({ hasText: 'Limit of 32 users reached' });
  await expect(limit).toBeVisible();
  const add = page.getByRole('button', { name: 'Add user' });
  await expect(add).toBeDisabled();
  await expect(add).toHaveAccessibleDescription(/Limit of 32 users reached/);
  // The keyboard, and a finger, get the reason at the button.
  const reason = page.getByRole('tooltip');
  await add.focus();
  await expect(reason).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(reason).toBeHidden();
  await add.dispatchEvent('click');
  await expect(reason).toBeVisible();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.keyboard.press('Escape');
  await act(page, 'crew_31', 'Delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete user' }).click();
  await expect(page.getByRole('button', { name: 'Add user' })).toBeEnabled();
  await expect(limit).toHaveCount(0);
});

/** A page of another signed-in user that notices when it is reloaded. */
async function pageOf(context: BrowserContext, hub: HubProcess, name: string, path: string): Promise<Page> {
  await context.addCookies([await signInCookie(hub, { id: name, password })]);
  const page = await context.newPage();
  await page.goto(`${hub.url}/#${path}`);
  await page.evaluate(() => document.documentElement.setAttribute('data-same', 'yes'));
  return page;
}

test.describe('in the open browser of another user', () => {
  test.use({ account: 'nobody' });

  test('menus appear and disappear with the permissions, without a reload', async ({
    context,
    hub,
    people,
    faults,
  }) => {
    faults.expect(notSignedIn);
    await people.user('anchor');
    const page = await pageOf(context, hub, 'anchor', '/stream/channels');
    const menu = page.getByRole('navigation', { name: 'Main menu' });
    const entry = menu.getByRole('link', { name: 'Users and groups' });
    await expect(menu.getByRole('link', { name: 'Channels' })).toBeVisible();
    await expect(entry).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'Add channel' })).toHaveCount(0);

    await hub.api('/api/usr/set', { name: 'anchor', 'group-id': groupTypes.admin });
    await expect(entry).toBeVisible();
    await expect(page.getByRole('button', { name: 'Add channel' }).first()).toBeVisible();
    await entry.click();
    await expect(page.getByRole('heading', { name: 'Users and groups', level: 1 })).toBeVisible();

    // Revoked permissions end the session: the user signs in again over the page, and sees what is left.
    await hub.api('/api/usr/set', { name: 'anchor', 'group-id': groupTypes.viewer });
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByLabel('Password', { exact: true }).fill(password);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await expect(dialog).toHaveCount(0);
    await expect(entry).toHaveCount(0);
    await expect(page.getByText('Access denied')).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.getAttribute('data-same'))).toBe('yes');
  });
});

test.describe('in a browser that is loading', () => {
  test.use({ account: 'nobody' });

  test('permissions that change before the event stream is open are noticed as well', async ({
    context,
    hub,
    people,
  }) => {
    await people.user('buoy');
    await context.addCookies([await signInCookie(hub, { id: 'buoy', password })]);
    const page = await context.newPage();
    const begin = Promise.withResolvers<void>();
    await page.route('**/api/events*', async (route) => {
      await begin.promise;
      await route.continue();
    });
    let asked = 0;
    page.on('requestfinished', (request) => void (request.url().endsWith('/api/session') && asked++));
    await page.goto(`${hub.url}/#/stream/channels`);
    const menu = page.getByRole('navigation', { name: 'Main menu' });
    await expect(menu.getByRole('link', { name: 'Channels' })).toBeVisible();
    // Once for the page, once because the user is active.
    await expect.poll(() => asked).toBeGreaterThanOrEqual(2);
    await hub.api('/api/usr/set', { name: 'buoy', 'group-id': groupTypes.admin });
    begin.resolve();
    await expect(menu.getByRole('link', { name: 'Users and groups' })).toBeVisible();
  });
});

test.describe('as a viewer', () => {
  test.use({ account: 'viewer' });

  test('there is neither a menu entry nor a page for users and groups', async ({ page }) => {
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(request.url()));
    for (const path of ['/settings/user', '/settings/user?dialog=add', '/settings/user-group/2']) {
      await page.goto(`/#${path}`);
      await expect(page.getByText('Access denied')).toBeVisible();
      await expect(page.getByRole('dialog')).toHaveCount(0);
    }
    const menu = page.getByRole('navigation', { name: 'Main menu' });
    await expect(menu.getByRole('link', { name: 'Channels' })).toBeVisible();
    await expect(menu.getByRole('link', { name: 'Users and groups' })).toHaveCount(0);
    await page.getByRole('button', { name: 'Go to' }).click();
    await page.getByRole('combobox', { name: 'Search' }).fill('user');
    await expect(page.getByText('Nothing matches the search')).toBeVisible();
    expect(loaded.filter((url) => /\/api\/usr\/|(User|Group)(ListPage|Page|Dialog)-/.test(url))).toEqual([]);
  });
});
