import type { Browser, Locator, Page } from '@playwright/test';
import type { HubProcess } from '../integration/hub-process.ts';
import { signInCookie } from './accounts.ts';
import { axeFaults } from './axe.ts';
import { expect, test } from './console-test.ts';
import { watchFaults } from './page-faults.ts';

const second = { id: 'second', password: 'as-good-as-the-1st' };
const administrators = 1;

interface Other {
  readonly page: Page;
  /** Closes that browser and fails on any unexpected error in it. */
  close(): Promise<void>;
}

/** A separate browser in which another user is signed in. */
async function otherEditor(browser: Browser, hub: HubProcess): Promise<Other> {
  const { users } = await hub.api<{ users: { name: string }[] }>('/api/usr/list?type=usr');
  if (!users.some(({ name }) => name === second.id)) {
    await hub.api('/api/usr/add', { name: second.id, password: second.password, 'group-id': administrators });
  }
  const context = await browser.newContext({ baseURL: hub.url, locale: 'en-GB', reducedMotion: 'reduce' });
  const faults = await watchFaults(context);
  await context.addCookies([await signInCookie(hub, second)]);
  return {
    page: await context.newPage(),
    async close() {
      await context.close();
      expect(faults.unexpected()).toEqual([]);
    },
  };
}

const save = (form: Locator) => form.getByRole('button', { name: 'Save' }).click();

test('when two users edit a channel, the slower one is told and chooses', async ({ page, browser, hub, stage }) => {
  const channel = await stage.channel('Edited twice');
  const renamed = `${channel.name} B`;
  stage.adopt(renamed);
  const address = `/#/stream/channels?dialog=edit&id=${channel.id}`;
  const other = await otherEditor(browser, hub);
  const [mine, theirs] = [page, other.page].map((one) => one.getByRole('dialog', { name: /^Edit/ })) as [
    Locator,
    Locator,
  ];
  const [myKey, theirName] = [mine.getByLabel('Play key'), theirs.getByLabel('Name')];
  await page.goto(address);
  await myKey.fill(`mine-${channel.id}`);
  await other.page.goto(address);
  await theirName.fill(renamed);
  await save(theirs);
  await expect(theirs).toHaveCount(0);

  await save(mine);
  const note = mine.getByRole('alert');
  await expect(note).toContainText('second changed it in the meantime');
  await expect(note).toContainText(`new name “${renamed}”`);
  await expect(myKey).toHaveValue(`mine-${channel.id}`);
  await expect(mine.getByLabel('Name')).toHaveValue(channel.name);
  expect(await axeFaults(page)).toEqual([]);

  await mine.getByRole('button', { name: 'Discard mine and load theirs' }).click();
  await expect(mine.getByLabel('Name')).toHaveValue(renamed);
  await expect(mine.getByLabel('Name')).toBeFocused();
  await expect(note).toHaveCount(0);
  await myKey.fill(`mine-${channel.id}`);
  await save(mine);
  await expect(mine).toHaveCount(0);

  // The reverse, with overwriting.
  await other.page.goto('/#/stream/channels');
  await other.page.goto(address);
  await theirName.fill(`${channel.name} C`);
  stage.adopt(`${channel.name} C`);
  await page.goto(address);
  await mine.getByLabel('Push key', { exact: true }).fill(`mine-too-${channel.id}`);
  await save(mine);
  await expect(mine).toHaveCount(0);
  await save(theirs);
  await expect(theirs.getByRole('alert')).toContainText('new push key');
  await theirs.getByRole('button', { name: 'Overwrite with mine' }).click();
  await expect(theirs).toHaveCount(0);
  await expect(page.getByRole('row').filter({ hasText: `${channel.name} C` })).toBeVisible();
  await other.close();
});

test('when two users edit a group, the slower one is told and chooses', async ({ page, browser, hub }) => {
  const { id } = await hub.api<{ id: number }>('/api/usr-group/add', { name: 'Edited twice', permissions: 1024 });
  const other = await otherEditor(browser, hub);
  const [mine, theirs] = [page.getByRole('main'), other.page.getByRole('main')];
  for (const one of [page, other.page]) await one.goto(`/#/settings/user-group/${id}`);
  await mine.getByLabel('Description').fill('written by me');
  await theirs.getByRole('checkbox', { name: 'Start and stop channels' }).check();
  await save(theirs);
  await expect(theirs.getByRole('button', { name: 'Discard' })).toHaveCount(0);

  await save(mine);
  const note = mine.getByRole('alert');
  await expect(note).toContainText('second changed it in the meantime');
  await expect(note).toContainText('may now: View inputs and outputs, Start and stop channels');
  await expect(mine.getByLabel('Description')).toHaveValue('written by me');
  expect(await axeFaults(page)).toEqual([]);
  await mine.getByRole('button', { name: 'Overwrite with mine' }).click();
  await expect(note).toHaveCount(0);
  // Only changed fields are overwritten: the other user's changes are kept.
  await expect(mine.getByRole('checkbox', { name: 'Start and stop channels' })).toBeChecked();
  await expect(mine.getByLabel('Description')).toHaveValue('written by me');

  await theirs.getByLabel('Description').fill('written by them');
  await save(theirs);
  await theirs.getByRole('button', { name: 'Discard mine and load theirs' }).click();
  await expect(theirs.getByLabel('Description')).toHaveValue('written by me');
  await other.close();
  await hub.api('/api/usr-group/del', { id });
});
