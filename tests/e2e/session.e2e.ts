import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import type { Page, Request } from '@playwright/test';
import { backgroundHeader } from '../../daemon/contract/calls.ts';
import { adminPassword, type HubProcess, startHub } from '../integration/hub-process.ts';
import { signInCookie } from './accounts.ts';
import { axeFaults } from './axe.ts';
import { test as base, expect } from './console-test.ts';
import { hubAway, notSignedIn } from './page-faults.ts';

/** These tests age sessions, end them and stop the hub: each has its own. */
const test = base.extend<{ own: HubProcess }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the names of the fixtures it needs from here
  own: async ({}, use) => {
    const own = await startHub({});
    await own.login();
    await use(own);
    await own.stop();
  },
});

const limitMinutes = 30;
/** The hub's allowance for uses that it has not stored. */
const givenMs = 60_000;

/** Ages all sessions as if they were unused until this many seconds before they expire. */
async function age(hub: HubProcess, secondsLeft: number): Promise<void> {
  await hub.kill('SIGKILL');
  const db = new Database(join(hub.dataDir, 'hub.sqlite'));
  const lastSeen = Date.now() - limitMinutes * 60_000 - givenMs + secondsLeft * 1000;
  db.run('UPDATE sessions SET last_seen_at = ?', [lastSeen]);
  db.close();
  await hub.restart();
}

/** Waits until nothing is being loaded: the page is reloaded for a part that it cannot get while the hub is away. */
async function untilLoaded(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const ends = performance
      .getEntriesByType('resource')
      .map((entry) => (entry as PerformanceResourceTiming).responseEnd);
    return performance.now() - Math.max(...ends) > 1000;
  });
}

const note = (page: Page) => page.getByRole('region', { name: 'Session' });
const ended = (page: Page) => page.getByRole('dialog', { name: 'Your session has ended' });
const password = (page: Page) => ended(page).getByLabel('Password', { exact: true });

async function openForm(page: Page, hub: HubProcess, name: string) {
  await page.goto(`${hub.url}/#/stream/channels?dialog=add`);
  const form = page.getByRole('dialog', { name: 'Add channel' });
  await form.getByRole('textbox', { name: 'Name' }).fill(name);
  await form.getByRole('textbox', { name: 'Play key' }).fill('typed-by-hand');
  return form;
}

test.beforeEach(({ faults }) => faults.expect(hubAway, notSignedIn, /\b401\b.*\/api\/(events|preview)/));

test('an inactive user is warned in time, and stays signed in with one click', async ({ page, context, own }) => {
  const cookie = await signInCookie(own, 'admin');
  await context.addCookies([cookie]);
  await page.goto(`${own.url}/#/dashboard`);
  await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();
  await expect(note(page)).toHaveCount(0);
  await untilLoaded(page);
  await age(own, 110);
  await expect(note(page)).toContainText('Your session is about to end');
  await expect(note(page).getByRole('timer')).toHaveText(/^1:[0-4]\d$/);
  expect(await axeFaults(page)).toEqual([]);
  await note(page).getByRole('button', { name: 'Stay signed in' }).click();
  await expect(note(page)).toHaveCount(0);
  const answer = await fetch(`${own.url}/api/session`, {
    headers: { cookie: `${cookie.name}=${cookie.value}`, [backgroundHeader]: '1' },
  });
  expect(((await answer.json()) as { 'expires-in': number })['expires-in']).toBeGreaterThan(limitMinutes * 60 - 60);
});

test('without expiration there is no warning, however long the user is inactive', async ({ page, context, own }) => {
  await own.api('/api/settings/set', { 'expired-time': -1 });
  await context.addCookies([await signInCookie(own, 'admin')]);
  await page.goto(`${own.url}/#/stream/channels`);
  await expect(page.getByRole('heading', { name: 'Channels', level: 1 })).toBeVisible();
  await age(own, -3600);
  // The old page also sends requests once the hub is back; their responses cannot be read after the reload.
  let isReloaded = false;
  page.once('framenavigated', () => {
    isReloaded = true;
  });
  const asked = page.waitForResponse(
    async (response) =>
      isReloaded && response.url().endsWith('/api/session') && (await response.json())['expires-in'] === -1,
  );
  await page.reload();
  await asked;
  await expect(page.getByRole('heading', { name: 'Channels', level: 1 })).toBeVisible();
  await expect(note(page)).toHaveCount(0);
  await expect(ended(page)).toHaveCount(0);
});

test('an expired session is renewed over the page, and the form under it is unchanged', async ({
  page,
  context,
  own,
}) => {
  await context.addCookies([await signInCookie(own, 'admin')]);
  const form = await openForm(page, own, 'Half typed');
  await age(own, -1);
  await expect(ended(page)).toContainText('You were inactive for longer than the settings allow.');
  await expect(password(page)).toBeFocused();
  expect(await axeFaults(page)).toEqual([]);
  // Neither the dialog nor the form under it can be dismissed.
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await expect(ended(page)).toBeVisible();
  await password(page).fill('wrong');
  await page.keyboard.press('Enter');
  await expect(ended(page).getByRole('alert')).toHaveText('Incorrect username or password.');
  await password(page).fill(adminPassword);
  await page.keyboard.press('Enter');
  await expect(ended(page)).toHaveCount(0);
  await expect(form.getByRole('textbox', { name: 'Name' })).toHaveValue('Half typed');
  await expect(form.getByRole('textbox', { name: 'Play key' })).toHaveValue('typed-by-hand');
  await expect(form.getByRole('textbox', { name: 'Play key' })).toBeFocused();
  await form.getByRole('button', { name: 'Add channel' }).click();
  await expect(form).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'Half typed', level: 1 })).toBeVisible();
});

test('the reason for an ended session is shown, and a waiting page sends only the necessary requests', async ({
  page,
  context,
  own,
}) => {
  const editors = 2;
  await own.api('/api/usr/add', { name: 'kim', password: 'first-word-1', 'group-id': editors });
  await context.addCookies([await signInCookie(own, { id: 'kim', password: 'first-word-1' })]);
  await page.goto(`${own.url}/#/stream/channels`);
  await expect(page.getByRole('heading', { name: 'Channels', level: 1 })).toBeVisible();
  const signIn = async (text: string) => {
    await password(page).fill(text);
    await ended(page).getByRole('button', { name: 'Sign in' }).click();
    await expect(ended(page)).toHaveCount(0);
  };

  await own.api('/api/usr/update', { name: 'kim', password: 'second-one' });
  await expect(ended(page)).toContainText('An administrator has given you a new password.');
  let asked = 0;
  const count = () => (asked += 1);
  page.on('request', count);
  // A request loop would send hundreds before the password is typed and checked.
  await password(page).pressSequentially('second-one', { delay: 50 });
  page.off('request', count);
  expect(asked).toBeLessThan(10);
  await signIn('second-one');

  await own.api('/api/usr/set', { name: 'kim', 'group-id': 4 });
  await expect(ended(page)).toContainText('An administrator has changed your permissions.');
  await signIn('second-one');

  const elsewhere = await signInCookie(own, { id: 'kim', password: 'second-one' });
  const response = await fetch(`${own.url}/api/session/end`, {
    method: 'POST',
    headers: { cookie: `${elsewhere.name}=${elsewhere.value}`, 'content-type': 'application/json' },
    body: JSON.stringify({ others: true }),
  });
  expect(await response.json()).toEqual({ result: 0 });
  await expect(ended(page)).toContainText('You ended this session from another one.');
  await signIn('second-one');

  await own.api('/api/usr/del', { name: 'kim' });
  await expect(ended(page)).toContainText('An administrator has deleted this user.');
  await expect(ended(page).getByRole('textbox', { name: 'Username' })).toHaveValue('');
  await ended(page).getByRole('button', { name: 'Leave this page' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in', level: 1 })).toBeVisible();
});

/** The page stays for a moment after a reload is requested: until then its content is not significant. */
async function untilReloaded(page: Page): Promise<void> {
  await page.waitForFunction(() => !('isFormer' in window));
}

test('the next user sees nothing of the previous one', async ({ page, context, own }) => {
  await own.api('/api/usr/add', { name: 'kim', password: 'first-word-1', 'group-id': 2 });
  await context.addCookies([await signInCookie(own, { id: 'kim', password: 'first-word-1' })]);
  const form = await openForm(page, own, 'Of kim');
  await page.evaluate(() => Object.assign(window, { isFormer: true }));
  await own.api('/api/usr/update', { name: 'kim', password: 'second-one' });
  await expect(ended(page)).toBeVisible();
  await ended(page).getByRole('textbox', { name: 'Username' }).fill('Admin');
  await password(page).fill(adminPassword);
  await ended(page).getByRole('button', { name: 'Sign in' }).click();
  await untilReloaded(page);
  await expect(page.getByRole('button', { name: 'Account of Admin', includeHidden: true })).toHaveCount(1);
  await expect(form.getByRole('textbox', { name: 'Name' })).toHaveValue('');

  // The same in another tab, unnoticed by this one.
  await page.evaluate(() => Object.assign(window, { isFormer: true }));
  await context.addCookies([await signInCookie(own, { id: 'kim', password: 'second-one' })]);
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await untilReloaded(page);
  await expect(page.getByRole('button', { name: 'Account of kim', includeHidden: true })).toHaveCount(1);
});

test('user activity keeps the session alive, and automatic requests of the page do not', async ({
  page,
  context,
  own,
}) => {
  await context.addCookies([await signInCookie(own, 'admin')]);
  await page.clock.install();
  const isUse = (request: Request) =>
    new URL(request.url()).pathname.startsWith('/api/') &&
    !/\/api\/(events|preview|health)\b/.test(request.url()) &&
    request.headers()[backgroundHeader] === undefined;
  const uses: string[] = [];
  page.on('request', (request) => void (isUse(request) && uses.push(new URL(request.url()).pathname)));
  await page.goto(`${own.url}/#/dashboard`);
  await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();
  await expect.poll(() => uses).toEqual(['/api/session']);
  // A pending request would replace the next one of its kind.
  await expect(page.getByRole('img', { name: 'CPU load in the last 60 minutes' })).toBeVisible();
  const polled = page.waitForRequest((request) => request.url().endsWith('/api/system/history'));
  await page.clock.fastForward(65_000);
  await polled;
  expect(uses).toEqual(['/api/session']);
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => uses).toEqual(['/api/session', '/api/session']);
  await page.keyboard.press('ArrowDown');
  await page.mouse.wheel(0, 100);
  const heading = page.getByRole('heading', { name: 'Channels', level: 1 });
  await page.getByRole('link', { name: 'Channels' }).first().click();
  await expect(heading).toBeVisible();
  expect(uses).toHaveLength(2);
});

test('a page that failed for lack of a session is shown after signing in again', async ({ page, context, own }) => {
  await own.api('/api/usr/add', { name: 'kim', password: 'first-word-1', 'group-id': 2 });
  await context.addCookies([await signInCookie(own, { id: 'kim', password: 'first-word-1' })]);
  await page.goto(`${own.url}/#/dashboard`);
  await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();
  // Navigation started before the session ended; the list is answered after that.
  let letGo = () => {};
  const isHeld = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route('**/api/input/source/list*', async (route) => {
    await isHeld;
    await route.continue();
  });
  await page.getByRole('link', { name: 'Inputs' }).click();
  await own.api('/api/usr/update', { name: 'kim', password: 'second-one' });
  await expect(ended(page)).toBeVisible();
  letGo();
  await expect(page.getByText('This page could not be shown')).toBeVisible();
  await password(page).fill('second-one');
  await page.keyboard.press('Enter');
  await expect(ended(page)).toHaveCount(0);
  await expect(page.getByText('This page could not be shown')).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Add input' }).first()).toBeVisible();
});
