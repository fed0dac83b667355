import { startHub } from '../integration/hub-process.ts';
import { leasePort } from '../support/ports.ts';
import { signInCookie } from './accounts.ts';
import { expect, test } from './console-test.ts';
import { hubAway, notSignedIn } from './page-faults.ts';

test('a setting shows the effect of saving, is saved, and is kept after a reload', async ({ page }) => {
  await page.goto('/#/settings/general');
  const group = page.getByRole('form', { name: 'SRT server' });
  const latency = group.getByRole('textbox', { name: /^Latency/ });
  const before = await latency.inputValue();
  await expect(group.getByRole('button', { name: 'Save' })).toBeDisabled();
  await latency.fill('5');
  await group.getByRole('button', { name: 'Save' }).click();
  await expect(latency).toHaveAttribute('aria-invalid', 'true');
  await latency.fill('250');
  await expect(group).toContainText('The new latency applies to new connections');
  await group.getByRole('button', { name: 'Save' }).click();
  await expect(group.getByRole('button', { name: 'Discard' })).toHaveCount(0);
  await page.reload();
  await expect(latency).toHaveValue('250');
  await latency.fill(before);
  await group.getByRole('button', { name: 'Save' }).click();
  await expect(group.getByRole('button', { name: 'Discard' })).toHaveCount(0);
});

test('typed text is discarded on demand', async ({ page }) => {
  await page.goto('/#/settings/general');
  const group = page.getByRole('form', { name: 'RTMP server' });
  const port = group.getByRole('textbox', { name: 'TCP port' });
  const before = await port.inputValue();
  await port.fill('1');
  await group.getByRole('button', { name: 'Discard' }).click();
  await expect(port).toHaveValue(before);
});

test('a port in use is refused at its field', async ({ page, hub, faults }) => {
  faults.expect(/\b4\d\d\b.*\/api\/settings\/set/);
  await page.goto('/#/settings/general');
  const group = page.getByRole('form', { name: 'RTMP server' });
  await group.getByRole('textbox', { name: 'TCP port' }).fill(String(hub.ports.http));
  await group.getByRole('button', { name: 'Save' }).click();
  await expect(group).toContainText(/occupied|already in use/);
  await group.getByRole('button', { name: 'Discard' }).click();
});

test('the console moves to its new port', async ({ page, context, faults }) => {
  const hub = await startHub({});
  try {
    await context.addCookies([await signInCookie(hub, 'admin')]);
    faults.expect(hubAway, notSignedIn);
    await page.goto(`${hub.url}/#/settings/general`);
    const port = leasePort();
    const group = page.getByRole('form', { name: 'Web access' });
    await group.getByRole('textbox', { name: 'HTTP port' }).fill(String(port));
    await group.getByRole('button', { name: 'Save' }).click();
    const confirm = page.getByRole('dialog', { name: 'Change the address of this console?' });
    await expect(confirm).toContainText(`http://127.0.0.1:${port}`);
    await confirm.getByRole('button', { name: 'Try the change' }).click();
    await expect(page).toHaveURL(`http://127.0.0.1:${port}/#/settings/general`);
    await expect(page.getByRole('heading', { name: 'General', level: 1 })).toBeVisible();
    await expect(page.getByText('The console stays at this address.')).toBeVisible();
    await expect(page.getByText('is not confirmed yet')).toHaveCount(0);
  } finally {
    await page.close();
    await hub.stop();
  }
});

test('redirect and HSTS can be enabled only over HTTPS, with an explanation of HSTS', async ({ browser }) => {
  const hub = await startHub({ env: { SIGNALBOX_HTTPS_PORT: '0' } });
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  try {
    await hub.login();
    await context.addCookies([await signInCookie(hub, 'admin')]);
    const page = await context.newPage();
    const group = page.getByRole('form', { name: 'Web access' });
    const redirect = group.getByRole('checkbox', { name: 'Redirect HTTP to HTTPS' });
    const hsts = group.getByRole('checkbox', { name: 'Strict Transport Security (HSTS)' });
    await page.goto(`${hub.url}/#/settings/general`);
    for (const box of [redirect, hsts]) {
      await expect(box).toBeDisabled();
      await expect(box).toHaveAccessibleDescription('To switch this on, open the console over HTTPS.');
    }
    await page.goto(`https://127.0.0.1:${hub.ports.https}/#/settings/general`);
    await redirect.check();
    await hsts.check();
    await expect(group).toContainText('Browsers remember HSTS for 26 weeks');
    await group.getByRole('button', { name: 'Save' }).click();
    await expect(group.getByRole('button', { name: 'Discard' })).toHaveCount(0);
    await page.reload();
    await expect(redirect).toBeChecked();
    await expect(hsts).toBeChecked();
  } finally {
    await context.close();
    await hub.stop();
  }
});

test.describe('as a viewer', () => {
  test.use({ account: 'viewer' });

  test('settings can be read but not changed', async ({ page }) => {
    await page.goto('/#/settings/general');
    await expect(page.getByRole('textbox', { name: 'TCP port' })).toBeDisabled();
    await expect(page.getByRole('button', { name: 'Save' })).toHaveCount(0);
  });
});
