/** Screenshots of users, groups and access tokens. */
import type { Page } from '@playwright/test';
import { adminPassword } from '../integration/hub-process.ts';
import type { People } from './people-scene.ts';
import { all, fill, inDialog, meanwhile, openMenu, type Shot, still, submit, untilStale } from './shot.ts';

const users = '/settings/user';
const tokens = '/settings/access-tokens';

export function peopleShots({ crew, member }: Omit<People, 'hub'>): Shot[] {
  const group = `/settings/user-group/${crew}`;
  return [
    { name: 'users', path: users, isLong: true },
    { name: 'users-menu', path: users, act: openMenu },
    { name: 'user-add', path: `${users}?dialog=add` },
    {
      name: 'user-add-faults',
      path: `${users}?dialog=add`,
      act: all(fill({ name: 'front desk', password: 'Harbour', repeated: 'harbour' }), submit),
    },
    { name: 'user-edit', path: `${users}?dialog=edit&id=${member}` },
    { name: 'user-stale', path: `${users}?dialog=edit&id=${member}`, act: saveTooLate('mei') },
    { name: 'user-edit-admin', path: `${users}?dialog=edit&id=1` },
    { name: 'user-password', path: `${users}?dialog=password&id=${member}`, act: fill({ password: 'Night-shift' }) },
    { name: 'user-delete', path: users, act: deleteUser },
    { name: 'group-add', path: `${users}?dialog=add-group` },
    { name: 'group-add-faults', path: `${users}?dialog=add-group`, act: submit },
    { name: 'group', path: group, isLong: true },
    { name: 'group-changed', path: group, act: changeGroup, isLong: true },
    { name: 'group-stale', path: group, act: saveGroupTooLate(crew) },
    { name: 'group-admin', path: '/settings/user-group/1', isLong: true },
    { name: 'group-viewer', path: '/settings/user-group/4', isLong: true },
    { name: 'group-delete', path: group, act: async (page) => page.locator('main button').first().click() },
    { name: 'group-missing', path: '/settings/user-group/99' },
    { name: 'tokens', path: tokens, isLong: true },
    { name: 'token-add', path: `${tokens}?dialog=add` },
    { name: 'token-add-faults', path: `${tokens}?dialog=add`, act: all(fill({ token: 'too short' }), submit) },
    { name: 'token-made', path: `${tokens}?dialog=add`, act: makeToken },
    { name: 'token-delete', path: tokens, act: deleteToken },
  ];
}

/** Of a hub with the maximum number of users and groups, and no token. */
export const limitShots: readonly Shot[] = [
  { name: 'users-full', path: users, isLong: true },
  { name: 'tokens-empty', path: tokens },
];

async function deleteUser(page: Page): Promise<void> {
  await page.locator('main [aria-haspopup="menu"]').nth(2).click();
  await page.locator('[role="menu"]:popover-open button').last().click();
  await inDialog(page).waitFor();
}

/** Another administrator saved first. */
function saveTooLate(user: string) {
  return async (page: Page) => {
    await fill({ nick: 'Chen Mei' })(page);
    await meanwhile(page, ['/api/usr/set', { name: user, nick: `Mei Chen ${Date.now() % 1000}` }]);
    await submit(page);
    await untilStale(page);
  };
}

function saveGroupTooLate(id: number) {
  return async (page: Page) => {
    await changeGroup(page);
    await meanwhile(page, ['/api/usr-group/set', { id, desc: `Harbour, shift ${Date.now() % 1000}` }]);
    await page.locator('main form button[type="submit"]').click();
    await untilStale(page);
  };
}

async function changeGroup(page: Page): Promise<void> {
  const boxes = page.locator('main fieldset input[type="checkbox"]:enabled');
  await boxes.nth(2).check();
  await boxes.nth(0).uncheck();
  await still(page);
}

async function makeToken(page: Page): Promise<void> {
  await fill({ name: 'Night upload', password: adminPassword })(page);
  await inDialog(page).locator('input[type="checkbox"]').first().check();
  await submit(page);
  await inDialog(page).locator('code').first().waitFor();
  await still(page);
}

async function deleteToken(page: Page): Promise<void> {
  await page.locator('main :is(tbody td, ul[aria-label] > li) button').last().click();
  await inDialog(page).waitFor();
}
