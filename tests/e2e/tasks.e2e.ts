/** The tray of tasks. The shipped hub has no noun with tasks yet, so these tests run one with a made-up noun. */
import type { Locator, Page } from '@playwright/test';
import { groupTypes } from '../../daemon/contract/permission.ts';
import { signInCookie } from './accounts.ts';
import { tabTo } from './by-keys.ts';
import { test as base, expect } from './console-test.ts';
import { type Pens, pensHub, pensOf } from './pens.ts';
import { look, views } from './views.ts';

const test = base.extend<{ pens: Pens }>({
  main: pensHub,
  pens: async ({ hub }, use) => {
    const pens = pensOf(hub);
    await use(pens);
    await pens.clear();
  },
});

const trayButton = (page: Page) => page.getByRole('banner').getByRole('button', { name: /^Tasks: / });
const tray = (page: Page) => page.getByRole('dialog', { name: 'Tasks', exact: true });
const rowOf = (page: Page, subject: string) => tray(page).getByRole('listitem').filter({ hasText: subject }).first();
const items = (row: Locator) => row.getByRole('list', { name: 'Items' }).getByRole('listitem');
const messages = (page: Page) => page.getByRole('region', { name: 'Messages' });

async function open(page: Page, path: string, heading: string): Promise<void> {
  await page.goto(`/#${path}`);
  await expect(page.getByRole('heading', { name: heading, level: 1 })).toBeVisible();
}

test('a task is followed in the tray, and its end is told on another page, once', async ({ page, pens }) => {
  await open(page, '/dashboard', 'Dashboard');
  await pens.fill(3, 'Store room');
  await expect(trayButton(page)).toHaveAccessibleName(/^Tasks: 1 running/);
  await trayButton(page).click();
  const row = rowOf(page, 'Store room');
  await expect(row).toContainText('Pen fill');
  await expect(row).toContainText('Running');
  await expect(row).toContainText('0 of 3');
  await pens.release(1);
  await expect(row).toContainText('1 of 3');
  await expect(row.getByRole('progressbar')).toHaveAttribute('value', '1');
  await row.getByRole('button', { name: 'Pen fill Store room', exact: true }).click();
  await expect(items(row)).toHaveText([/P1 blueDone/, /P2 blueRunning/, /P3 blueRunning/]);
  await pens.release(2, { isLost: true });
  await expect(items(row)).toHaveText([/P2 blueFailedThe device is offline\./, /P1 blueDone/, /P3 blueRunning/]);
  await expect(row).toContainText('1 failed');
  await trayButton(page).click();
  await expect(tray(page)).toHaveCount(0);

  await open(page, '/stream/channels', 'Channels');
  await pens.release(3);
  const message = messages(page).getByText('“Pen fill: Store room” has ended: 1 of 3 failed.');
  await expect(message).toBeVisible();
  await expect(trayButton(page)).toHaveAccessibleName('Tasks: 0 running, some have failed');
  await page.reload();
  await trayButton(page).click();
  await expect(row).toContainText('Done in part');
  await expect(message).toHaveCount(0);
});

test('a task is canceled with the keyboard, after a question', async ({ page, pens }) => {
  await pens.fill(4, 'Night stock');
  await open(page, '/dashboard', 'Dashboard');
  await expect(trayButton(page)).toBeVisible();
  await tabTo(page, 'button', /^Tasks: 1 running/);
  await page.keyboard.press('Enter');
  await expect(tray(page)).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(tray(page)).toHaveCount(0);
  await expect(trayButton(page)).toBeFocused();
  await page.keyboard.press('Enter');
  await pens.release(1);
  await expect(rowOf(page, 'Night stock')).toContainText('1 of 4');
  await tabTo(page, 'button', 'Cancel Pen fill Night stock');
  await page.keyboard.press('Enter');
  const question = page.getByRole('dialog', { name: 'Cancel “Pen fill: Night stock”?' });
  await expect(question.getByRole('button', { name: 'Keep running' })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(question.getByRole('button', { name: 'Cancel task' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(messages(page).getByText('“Pen fill: Night stock” was canceled.')).toBeVisible();
  await expect(trayButton(page)).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(rowOf(page, 'Night stock')).toContainText('Canceled1 of 4');
});

test('ended tasks are cleared for this browser, and the button comes and goes without moving others', async ({
  page,
  context,
  pens,
}) => {
  await pens.fill(1, 'To clear');
  await pens.release(1);
  await open(page, '/dashboard', 'Dashboard');
  await expect(trayButton(page)).toHaveAccessibleName(/^Tasks: 0 running/);
  await trayButton(page).click();
  await tray(page).getByRole('button', { name: 'Clear', exact: true }).click();
  await expect(tray(page)).toHaveText('TasksNo tasks.');
  await expect(tray(page)).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(trayButton(page)).toHaveCount(0);
  await expect(page.locator(':focus')).toBeVisible();

  const search = page.getByRole('button', { name: 'Go to', exact: true });
  const before = await search.boundingBox();
  const other = await context.newPage();
  await other.goto('/#/stream/channels');
  await expect(other.getByRole('heading', { name: 'Channels', level: 1 })).toBeVisible();
  await pens.fill(1, 'To stay');
  await expect(trayButton(page)).toHaveAccessibleName(/^Tasks: 1 running/);
  expect(await search.boundingBox()).toEqual(before);
  await trayButton(other).click();
  await expect(tray(other).getByRole('listitem')).toHaveCount(1);
  await expect(rowOf(other, 'To stay')).toContainText('Running');
});

test('an administrator sees whose task it is, others only their own', async ({ page, context, hub, pens }) => {
  await pens.fill(1, 'Of the admin');
  const user = { id: 'ann', password: 'Quay-side-7' };
  await hub.api('/api/usr/add', { name: user.id, password: user.password, 'group-id': groupTypes.user });
  const cookie = await signInCookie(hub, user);
  const fill = { subject: 'Of ann', count: 1, isHeld: true };
  const headers = { cookie: `${cookie.name}=${cookie.value}` };
  const answer = await page.request.post('/api/pen/fill', { data: fill, headers });
  expect(await answer.json()).toMatchObject({ result: 0 });
  await open(page, '/dashboard', 'Dashboard');
  await trayButton(page).click();
  await expect(rowOf(page, 'Of ann')).toContainText('by ann');
  await expect(rowOf(page, 'Of the admin')).not.toContainText('by');
  await context.addCookies([cookie]);
  await page.reload();
  await expect(trayButton(page)).toHaveAccessibleName(/^Tasks: 1 running/);
  await trayButton(page).click();
  await expect(tray(page).getByRole('listitem')).toHaveText([/Of ann/]);
});

test('a long list of items is shown by the hundred', async ({ page, pens }) => {
  await pens.fill(250, 'All of them');
  await open(page, '/dashboard', 'Dashboard');
  await trayButton(page).click();
  const row = rowOf(page, 'All of them');
  await row.getByRole('button', { name: /^Pen fill/ }).click();
  await expect(items(row)).toHaveCount(100);
  await row.getByRole('button', { name: 'Show 100 more of 150' }).click();
  await row.getByRole('button', { name: 'Show 50 more of 50' }).click();
  await expect(items(row)).toHaveCount(250);
});

for (const [name, view] of Object.entries(views)) {
  test.describe(name, () => {
    test.use({ colorScheme: view.scheme, ...view.options });

    test('the tray and its question pass all checks', async ({ page, pens, faults }) => {
      const say = (english: string, chinese: string) => (view.language === 'zh' ? chinese : english);
      await pens.fill(2, say('An ended one with a name that is long for a phone', 'A'));
      await pens.release(1, { isLost: true });
      await pens.release(2);
      await pens.fill(3, 'B');
      await pens.release(1, { isLost: true });
      await page.goto('/#/dashboard');
      await page
        .getByRole('banner')
        .getByRole('button', { name: new RegExp(say('^Tasks: 1', '^任务：1')) })
        .click();
      const panel = page.getByRole('dialog', { name: say('Tasks', '任务') });
      for (const index of [0, 1]) {
        await panel.getByRole('button', { expanded: false }).first().click();
        await expect(panel.getByRole('list', { name: say('Items', '项目') })).toHaveCount(index + 1);
      }
      await look(page, view, 'the tray');
      await panel.getByRole('button', { name: say('Cancel', '取消') }).click();
      await expect(
        page.getByRole('dialog', { name: say('Cancel “Pen fill: B”?', '取消“Pen fill：B”？') }),
      ).toBeVisible();
      await look(page, view, 'the question');
      expect(faults.unexpected()).toEqual([]);
    });
  });
}
