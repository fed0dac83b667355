import type { Locator, Page } from '@playwright/test';
import { maskOf } from '../../daemon/contract/permission.ts';
import { adminPassword, type HubProcess } from '../integration/hub-process.ts';
import { accounts } from './accounts.ts';
import { expect, test } from './console-test.ts';
import { look, views } from './views.ts';

const list = '/#/settings/access-tokens';
const passwordIn = (form: Locator) => form.getByLabel('Your password', { exact: true });
const rowOf = (page: Page, name: string) =>
  page.getByRole('table', { name: 'Access tokens' }).getByRole('row', { name });

async function resultWith(hub: HubProcess, token: string, path: string): Promise<number> {
  const response = await fetch(`${hub.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  return ((await response.json()) as { result: number }).result;
}

test('a token is shown once, with a button that copies it, and works until it is deleted', async ({
  page,
  context,
  hub,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(list);
  await page.getByRole('button', { name: 'Add access token' }).first().click();
  const form = page.getByRole('dialog', { name: 'Add access token' });
  await expect(form.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await form.getByRole('textbox', { name: 'Name' }).fill('Nightly export');
  await form.getByRole('combobox', { name: 'Expires' }).selectOption('In 30 days');
  const add = form.getByRole('button', { name: 'Add access token' });
  for (const box of await form.getByRole('checkbox').all()) await expect(box).not.toBeChecked();
  await form.getByRole('button', { name: 'Control', exact: true }).click();
  await expect(form.getByRole('checkbox', { name: 'Start and stop channels' })).toBeChecked();
  await expect(form.getByRole('checkbox', { name: 'Add, edit and delete channels' })).not.toBeChecked();
  await expect(form.getByRole('button', { name: 'Control', exact: true })).toHaveAttribute('aria-pressed', 'true');
  await form.getByRole('checkbox', { name: 'View channels' }).uncheck();
  await form.getByRole('checkbox', { name: 'View inputs and outputs' }).check();
  await form.getByRole('checkbox', { name: 'View system settings' }).check();
  await passwordIn(form).fill('not-that-one');
  await add.click();
  await expect(passwordIn(form)).toHaveAccessibleDescription('Incorrect password');
  await passwordIn(form).fill(adminPassword);
  await add.click();

  const made = page.getByRole('dialog', { name: 'Copy the access token now' });
  await expect(made).toContainText('It is shown only once');
  const copy = made.getByRole('button', { name: 'Copy Token' });
  await expect(copy).toBeFocused();
  await copy.click();
  await expect(made.getByRole('button', { name: 'Copied' })).toBeVisible();
  const token = await page.evaluate(() => navigator.clipboard.readText());
  expect(token).toMatch(/^[A-Za-z0-9]{64}$/);
  await expect(made).toContainText(`Authorization: Bearer ${token}`);
  // A click outside would lose the token permanently.
  await page.mouse.click(4, 4);
  await expect(made).toBeVisible();
  await made.getByRole('button', { name: 'Done' }).click();
  await expect(made).toHaveCount(0);

  const row = rowOf(page, 'Nightly export');
  await expect(row).toContainText('Admin');
  await expect(row).toContainText('View inputs and outputs');
  await expect(row).not.toContainText('channels');
  await expect(row).toContainText('Never used');
  expect(await page.content()).not.toContain(token);
  expect(await resultWith(hub, token, '/api/system/status')).toBe(0);
  expect(await resultWith(hub, token, '/api/usr/list')).toBe(31);
  await page.reload();
  await expect(row.getByRole('time')).toHaveCount(2);
  expect(await page.content()).not.toContain(token);

  await page.getByRole('button', { name: 'Delete access token “Nightly export”' }).click();
  const confirm = page.getByRole('dialog', { name: 'Delete access token “Nightly export”?' });
  await confirm.getByRole('button', { name: 'Delete access token' }).click();
  await expect(confirm).toHaveCount(0);
  await expect(row).toHaveCount(0);
  expect(await resultWith(hub, token, '/api/system/status')).toBe(37);
});

test('an error of a token is shown at its field; a duplicate is refused', async ({ page, hub }) => {
  const taken = 'Taken4mY8cJ2vKd6HsXq9LbE3tGnP5fUa7iToVkQ1xhB0yMrNjSgDlCeZwRi5uO2';
  const { id } = await hub.api<{ id: number }>('/api/token/add', {
    name: 'Taken',
    token: taken,
    password: adminPassword,
  });
  await page.goto(`${list}?dialog=add`);
  const form = page.getByRole('dialog', { name: 'Add access token' });
  const [name, text] = [form.getByRole('textbox', { name: 'Name' }), form.getByRole('textbox', { name: 'Token' })];
  const add = form.getByRole('button', { name: 'Add access token' });
  await text.fill('too short');
  await add.click();
  await expect(name).toBeFocused();
  await expect(name).toHaveAccessibleDescription(/Required/);
  await expect(text).toHaveAccessibleDescription(/Enter exactly 64 characters/);
  await name.fill('Second');
  await text.fill('-'.repeat(64));
  await add.click();
  await expect(text).toHaveAccessibleDescription(/“-” isn't allowed\. Use A-Z a-z 0-9/);
  await text.fill('A'.repeat(64));
  await add.click();
  await expect(text).toHaveAccessibleDescription(/Too easy to guess/);
  await passwordIn(form).fill(adminPassword);
  await form.getByRole('checkbox', { name: 'View channels' }).check();
  await text.fill(taken);
  await add.click();
  await expect(text).toHaveAccessibleDescription(/Already in use/);
  await text.fill('');
  for (const box of await form.getByRole('checkbox').all()) await box.uncheck();
  await add.click();
  await expect(form.getByRole('alert')).toContainText('Required');
  await hub.api('/api/token/del', { id });
});

test.describe('as a viewer', () => {
  test.use({ account: 'viewer' });

  test('a token has permissions of its owner only, and other users’ tokens are not shown', async ({ page, hub }) => {
    const { id } = await hub.api<{ id: number }>('/api/token/add', { name: 'Of Admin', password: adminPassword });
    await page.goto(list);
    await expect(page.getByText('No access tokens yet')).toBeVisible();
    await page.getByRole('button', { name: 'Add access token' }).first().click();
    const form = page.getByRole('dialog', { name: 'Add access token' });
    await form.getByRole('checkbox', { name: 'View channels' }).check();
    const beyond = form.getByRole('checkbox', { name: 'Start and stop channels' });
    await expect(beyond).toBeDisabled();
    await expect(beyond).toHaveAccessibleDescription('You do not have this permission');
    await form.getByRole('textbox', { name: 'Name' }).fill('Looks only');
    await passwordIn(form).fill(accounts.viewer.password);
    await form.getByRole('button', { name: 'Add access token' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    await expect(rowOf(page, 'Looks only')).toContainText('viewer');
    await expect(rowOf(page, 'Of Admin')).toHaveCount(0);
    const { list: all } = await hub.api<{ list: { id: number; owner: string }[] }>('/api/token/list');
    expect(all.map(({ owner }) => owner).toSorted()).toEqual(['Admin', 'viewer']);
    await hub.api('/api/token/del', {
      id: [id, ...all.filter(({ owner }) => owner === 'viewer').map((one) => one.id)],
    });
  });
});

test('the page of access tokens passes all checks on a desktop and on a phone', async ({ page, hub }) => {
  const { id } = await hub.api<{ id: number }>('/api/token/add', {
    ...{ name: 'Seen', permission: maskOf('channelView') },
    password: adminPassword,
  });
  for (const [name, view] of [
    ['desk', views['on a desk']],
    ['phone', views['on a phone']],
  ] as const) {
    await page.setViewportSize(view.options.viewport);
    await page.emulateMedia({ colorScheme: view.scheme });
    await page.goto(list);
    await expect(page.getByRole('button', { name: 'Delete access token “Seen”' })).toBeVisible();
    await look(page, view, `list, ${name}`);
    await page.goto(`${list}?dialog=add`);
    const form = page.getByRole('dialog', { name: 'Add access token' });
    await form.getByRole('button', { name: 'Add access token' }).click();
    await expect(form.getByText('Required').first()).toBeVisible();
    await look(page, view, `form, ${name}`);
    await form.getByRole('textbox', { name: 'Name' }).fill('Shown');
    await form.getByRole('checkbox', { name: 'View channels' }).check();
    await passwordIn(form).fill(adminPassword);
    await form.getByRole('button', { name: 'Add access token' }).click();
    await expect(page.getByText('It is shown only once')).toBeVisible();
    await look(page, view, `token, ${name}`);
    await page.getByRole('button', { name: 'Done' }).click();
  }
  const { list: all } = await hub.api<{ list: { id: number }[] }>('/api/token/list');
  await hub.api('/api/token/del', { id: all.map((one) => one.id) });
  expect(all.map((one) => one.id)).toContain(id);
});

test('the page of tokens is in the menu', async ({ page }) => {
  await page.goto('/#/dashboard');
  await page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: 'Access tokens' }).click();
  await expect(page.getByRole('heading', { name: 'Access tokens', level: 1 })).toBeVisible();
});
