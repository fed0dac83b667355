import type { Locator, Page } from '@playwright/test';
import { limits } from '../../daemon/contract/limits.ts';
import { defaultUserMask, groupTypes, maskOf } from '../../daemon/contract/permission.ts';
import { accounts } from './accounts.ts';
import { signInByKeys, tabTo } from './by-keys.ts';
import { notSignedIn } from './page-faults.ts';
import { expect, test } from './people-test.ts';

// The groups have permissions of devices, too.
test.use({ features: 'devices' });

const may = (page: Page, name: string) => page.getByRole('checkbox', { name });
const save = (page: Page) => page.getByRole('main').getByRole('button', { name: 'Save' });
const saved = (page: Page) => expect(page.getByRole('button', { name: 'Discard' })).toHaveCount(0);
const crew = maskOf('channelControl', 'channelView', 'ioView');

async function openGroup(page: Page, id: number, name: string): Promise<void> {
  await page.goto(`/#/settings/user-group/${id}`);
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible();
}

/** As when a user returns to a page after a while: its data is fetched again. */
async function reload(page: Page): Promise<void> {
  const loaded = page.waitForResponse(/\/api\/usr\/list/);
  await page.evaluate(() => {
    const now = Date.now;
    Date.now = () => now() + 60_000;
    window.dispatchEvent(new Event('visibilitychange'));
  });
  await (await loaded).finished();
}

test.describe('before sign-in', () => {
  test.use({ account: 'nobody' });

  test('from sign-in to a saved group with the keyboard alone', async ({ page, people, faults }) => {
    faults.expect(notSignedIn);
    await people.user('keys');
    const { keyboard } = page;
    await signInByKeys(page);

    await tabTo(page, 'link', 'Users and groups');
    await keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'Users and groups', level: 1 })).toBeFocused();
    await tabTo(page, 'button', 'Add group');
    await keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Add group' });
    await expect(dialog.getByRole('textbox', { name: 'Name' })).toBeFocused();
    await keyboard.type('Night crew');
    await keyboard.press('Enter');

    await expect(page.getByRole('heading', { name: 'Night crew', level: 1 })).toBeFocused();
    await tabTo(page, 'checkbox', 'Start and stop channels');
    await keyboard.press('Space');
    await tabTo(page, 'checkbox', 'keys');
    await keyboard.press('Space');
    await tabTo(page, 'button', 'Save');
    await keyboard.press('Enter');
    await saved(page);
    await expect(save(page)).toBeFocused();
    expect(await people.stored('Night crew')).toMatchObject({
      permission: defaultUserMask | crew,
      users: ['keys'],
    });
  });
});

test('a click shows which permissions it grants and revokes, and nothing is stored before it is saved', async ({
  page,
  people,
}) => {
  const id = await people.group('Shift', maskOf('deviceView'));
  await openGroup(page, id, 'Shift');
  const summary = page.getByRole('region', { name: 'Permissions' }).getByRole('status');
  await may(page, 'Add, edit and delete channels').check();
  await expect(summary).toHaveText(
    'Also granted (required): View inputs and outputs, Edit inputs and outputs, View channels, Start and stop channels',
  );
  await expect(page.getByRole('img', { name: 'will be granted' })).toHaveCount(5);
  await expect(may(page, 'View channels')).toBeChecked();

  await may(page, 'View inputs and outputs').uncheck();
  await expect(summary).toHaveText(
    'Also removed (depends on it): Edit inputs and outputs, Start and stop channels, Add, edit and delete channels',
  );
  await expect(may(page, 'Start and stop channels')).not.toBeChecked();
  await expect(page.getByRole('img', { name: 'will be granted' })).toHaveCount(1);
  expect(await people.stored('Shift')).toMatchObject({ permission: maskOf('deviceView') });

  await page.getByRole('button', { name: 'Discard' }).click();
  await expect(may(page, 'View channels')).not.toBeChecked();
  await expect(page.getByRole('img', { name: 'will be granted' })).toHaveCount(0);
  await may(page, 'View devices').uncheck();
  await save(page).click();
  await expect(page.getByRole('alert').filter({ hasText: 'Required' })).toBeVisible();
  await may(page, 'Start and stop channels').check();
  await save(page).click();
  await saved(page);
  expect(await people.stored('Shift')).toMatchObject({ permission: crew });
});

test('built-in groups keep their defining permissions, and administrator-only ones cannot be granted', async ({
  page,
}) => {
  await openGroup(page, groupTypes.viewer, 'Viewer');
  for (const name of ['Manage device visibility', 'Manage device groups', 'Manage users and groups']) {
    await expect(may(page, name)).toBeDisabled();
    await expect(may(page, name)).not.toBeChecked();
  }
  await expect(page.getByRole('textbox', { name: 'Name' })).toBeDisabled();
  await expect(page.getByRole('button', { name: 'Delete' })).toHaveCount(0);
  await expect(page.getByRole('checkbox', { name: accounts.viewer.id })).toBeDisabled();

  await openGroup(page, groupTypes.admin, 'Admin');
  const all = page.getByRole('region', { name: 'Permissions' }).getByRole('checkbox');
  expect(await all.count()).toBe(16);
  for (const box of await all.all()) {
    await expect(box).toBeChecked();
    await expect(box).toBeDisabled();
  }
  await expect(page.getByRole('checkbox', { name: 'Admin' })).toBeDisabled();
  await expect(page.getByRole('textbox', { name: 'Name' })).toBeDisabled();
  await expect(page.getByRole('button', { name: 'Delete' })).toHaveCount(0);
});

test('new and removed members are shown before saving, and those of a deleted group become viewers', async ({
  page,
  people,
}) => {
  const id = await people.group('Dock', crew);
  await people.user('crane', id);
  await people.user('winch', groupTypes.user);
  await openGroup(page, id, 'Dock');
  await page.getByRole('checkbox', { name: 'winch' }).check();
  await page.getByRole('checkbox', { name: 'crane' }).uncheck();
  await expect(page.getByText('crane: moves to the group Viewer')).toBeVisible();
  await save(page).click();
  await saved(page);
  expect((await people.stored('Dock')).users).toEqual(['winch']);
  expect((await people.stored('Viewer')).users).toContain('crane');

  await may(page, 'Start and stop channels').uncheck();
  await expect(page.getByRole('main')).toContainText('Members must sign in again');
  await expect(page.getByRole('main')).toContainText('They will lose these permissions: Start and stop channels.');

  await page.getByRole('button', { name: 'Delete' }).click();
  const confirm = page.getByRole('dialog', { name: 'Delete group “Dock”?' });
  await expect(confirm).toContainText('become viewers');
  await confirm.getByRole('button', { name: 'Delete group' }).click();
  await expect(page.getByRole('heading', { name: 'Users and groups', level: 1 })).toBeVisible();
  await expect(page.getByRole('row', { name: 'winch' })).toContainText('Viewer');
  await expect(page.getByRole('link', { name: /Dock/ })).toHaveCount(0);
});

test('a form that was started is not replaced when others save: it shows who saved first', async ({
  page,
  hub,
  people,
}) => {
  const id = await people.group('Pier', crew);
  await openGroup(page, id, 'Pier');
  const description = page.getByRole('textbox', { name: 'Description' });
  await hub.api('/api/usr-group/set', { id, desc: 'Theirs, before mine' });
  await reload(page);
  await expect(description).toHaveValue('Theirs, before mine');
  await description.fill('Mine');
  await hub.api('/api/usr-group/set', { id, desc: 'Theirs' });
  await reload(page);
  await expect(page.getByRole('main')).not.toContainText('in another tab');
  await save(page).click();
  await expect(page.getByRole('main')).toContainText('You changed it in another tab');
  await expect(description).toHaveValue('Mine');
  await page.getByRole('button', { name: 'Discard mine and load theirs' }).click();
  await expect(description).toHaveValue('Theirs');
  await saved(page);

  await description.fill('Mine after all');
  await hub.api('/api/usr-group/set', { id, desc: 'Theirs again' });
  await save(page).click();
  await page.getByRole('button', { name: 'Overwrite with mine' }).click();
  await saved(page);
  await expect(description).toHaveValue('Mine after all');
});

test('at the maximum number of groups the page shows the limit; group names are unique', async ({ page, people }) => {
  await people.group('First', crew);
  await people.group('Second', crew);
  await page.goto('/#/settings/user?dialog=add-group');
  const dialog = page.getByRole('dialog', { name: 'Add group' });
  const name: Locator = dialog.getByRole('textbox', { name: 'Name' });
  const add = dialog.getByRole('button', { name: 'Add group' });
  await add.click();
  await expect(name).toHaveAccessibleDescription(/Required/);
  await name.fill('Second');
  await add.click();
  await expect(name).toHaveAccessibleDescription(/Already in use/);
  await name.fill('Third');
  await dialog.getByRole('combobox', { name: 'Copy permissions from' }).selectOption('First');
  await add.click();
  await expect(page.getByRole('heading', { name: 'Third', level: 1 })).toBeVisible();
  await expect(may(page, 'Start and stop channels')).toBeChecked();

  await page.goto('/#/settings/user');
  await expect(
    page.getByRole('paragraph').filter({ hasText: `Limit of ${limits.userGroups} groups reached` }),
  ).toBeVisible();
  await expect(page.getByRole('button', { name: 'Add group' })).toBeDisabled();
});
