import type { Page } from '@playwright/test';
import { type HubProcess, startHub } from '../integration/hub-process.ts';
import { leasePort } from '../support/ports.ts';
import { signInCookie } from './accounts.ts';
import { axeFaults } from './axe.ts';
import { test as base, expect } from './console-test.ts';

/** These settings apply to all users of a hub, so each test has its own hub. */
const test = base.extend<{ own: HubProcess }>({
  own: async ({ context, page }, use) => {
    // The invitation code is for devices.
    const own = await startHub({ env: { SIGNALBOX_FEATURES: 'devices' } });
    await own.login();
    await context.addCookies([await signInCookie(own, 'admin')]);
    await use(own);
    // A page that outlives its hub logs errors to its console.
    await page.close();
    await own.stop();
  },
});

async function openGroup(page: Page, hub: HubProcess, name: string) {
  await page.goto(`${hub.url}/#/settings/general`);
  const group = page.getByRole('form', { name });
  await expect(group).toBeVisible();
  const saved = () => expect(group.getByRole('button', { name: 'Discard' })).toHaveCount(0);
  const save = () => group.getByRole('button', { name: 'Save' }).click();
  return { group, save, saved };
}

test('the session limit is set in minutes, or switched off, and applies at once', async ({ page, own }) => {
  const { group, save, saved } = await openGroup(page, own, 'Sessions');
  const minutes = group.getByRole('textbox', { name: 'Timeout, 1 to 1440' });
  const expires = async () => (await own.api<{ 'expires-in': number }>('/api/session'))['expires-in'];
  await expect(minutes).toHaveValue('30');
  await minutes.fill('1441');
  await save();
  await expect(minutes).toBeFocused();
  await expect(minutes).toHaveAttribute('aria-invalid', 'true');
  await minutes.fill('1440');
  await save();
  await saved();
  expect(await expires()).toBe(1440 * 60);

  await group.getByRole('checkbox', { name: 'No expiration' }).check();
  await expect(minutes).toHaveCount(0);
  await expect(group).toContainText('Anyone at an open browser stays signed in');
  expect(await axeFaults(page)).toEqual([]);
  await save();
  await saved();
  expect(await expires()).toBe(-1);
  await page.reload();
  await expect(group.getByRole('checkbox', { name: 'No expiration' })).toBeChecked();
});

test('a password rule applies to the next password, and an impossible rule is refused', async ({ page, own }) => {
  const { group, save, saved } = await openGroup(page, own, 'Password rule');
  const field = (name: string) => group.getByRole('textbox', { name, exact: true });
  await field('Digits').fill('99');
  await field('Special characters').fill('99');
  await save();
  await expect(group.getByRole('alert')).toHaveText('No password can meet all of these rules');
  await field('Characters').fill('10');
  await field('Digits').fill('2');
  await field('Special characters').fill('0');
  await group.getByRole('checkbox', { name: 'Does not contain the username' }).check();
  await expect(group).toContainText('Scripts have to send passwords in clear text');
  expect(await axeFaults(page)).toEqual([]);
  await save();
  await saved();
  await expect(group.getByRole('alert')).toHaveCount(0);
  const add = (password: string) => own.answer('/api/usr/add', { name: 'kim', password });
  expect(await add('only-one-1')).toMatchObject({ result: 7, fields: [{ path: 'password', rule: 'weak' }] });
  expect(await add('not-of-kim-12')).toMatchObject({ result: 7, fields: [{ path: 'password', rule: 'weak' }] });
  expect(await add('long-enough-12')).toMatchObject({ result: 0 });
  // The form of a user shows the same current rule.
  await page.goto(`${own.url}/#/settings/user?dialog=add`);
  const rules = page.getByRole('dialog').getByRole('list', { name: 'Password rules' }).getByRole('listitem');
  await expect(rules).toHaveText([
    'At least 10 characters',
    'Does not contain the username',
    'Digits: at least 2',
    'Not a common password',
  ]);
});

test('an invitation code has four digits, and a new one is generated on demand', async ({ page, own }) => {
  const { group, save, saved } = await openGroup(page, own, 'Invitation code');
  const code = group.getByLabel('Four-digit code');
  await expect(code).toBeDisabled();
  await group.getByRole('checkbox', { name: 'Devices need the code' }).check();
  await code.fill('12a');
  await save();
  await expect(code).toBeFocused();
  await expect(code).toHaveAttribute('aria-invalid', 'true');
  expect(await axeFaults(page)).toEqual([]);
  await group.getByRole('button', { name: 'New code' }).click();
  await expect(code).toHaveValue(/^\d{4}$/);
  await code.fill('0165');
  await save();
  await saved();
  const { security } = await own.api<{ security: object }>('/api/settings/get');
  expect(security).toEqual({ 'enable-code': true, 'code-value': '0165' });
  await page.reload();
  await expect(code).toHaveValue('0165');
});

test('the default language is set with the keyboard alone', async ({ page, own }) => {
  const { group, saved } = await openGroup(page, own, 'Language');
  const choice = group.getByRole('radiogroup', { name: 'Language' });
  await expect(choice.getByRole('radio', { name: 'Browser language' })).toBeChecked();
  await choice.getByRole('radio', { name: 'Browser language' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await expect(choice.getByRole('radio', { name: '中文' })).toBeChecked();
  await page.keyboard.press('Tab');
  await expect(group.getByRole('button', { name: 'Discard' })).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await saved();
  expect(await own.api('/api/setup')).toMatchObject({ language: 'zh' });
});

test('a new SRT port shows whom it affects first, and is used by the server', async ({ page, own }) => {
  const { group, save, saved } = await openGroup(page, own, 'SRT server');
  const port = leasePort();
  await group.getByRole('textbox', { name: 'UDP port' }).fill(String(port));
  await expect(group).toContainText('Encoders and players need the new port');
  await group.getByRole('combobox', { name: 'Encryption' }).selectOption('32');
  await expect(group).toContainText('Encoders and players need the new encryption');
  expect(await axeFaults(page)).toEqual([]);
  await save();
  await expect(group.getByLabel('Passphrase', { exact: true })).toBeFocused();
  await group.getByLabel('Passphrase', { exact: true }).fill('a passphrase of some length');
  await save();
  await saved();
  // Typed text does not stay on the page.
  await expect(group.getByLabel('Passphrase', { exact: true })).toHaveValue('');
  const inUse = async () =>
    (await own.api<{ status: { system: { ports: { srt: number } } } }>('/api/system/status')).status.system.ports.srt;
  await expect.poll(inUse).toBe(port);
});
