import type { Page } from '@playwright/test';
import { md5Of } from '../../daemon/lib/password.ts';
import { startHub } from '../integration/hub-process.ts';
import { lanName } from './browser.ts';
import { expect, test } from './console-test.ts';
import { notSignedIn } from './page-faults.ts';

test.use({ account: 'nobody' });

/** Everything that the page sends from now on, as an eavesdropper on the network would read it. */
function eavesdrop(page: Page): () => string {
  const heard: string[] = [];
  page.on('request', (request) =>
    heard.push(request.url(), JSON.stringify(request.headers()), request.postData() ?? ''),
  );
  return () => heard.join('\n');
}

test('over plain HTTP neither the password, its MD5 nor anything reusable for signing in crosses the network', async ({
  page,
  faults,
}) => {
  faults.expect(notSignedIn);
  const hub = await startHub({ env: { SIGNALBOX_VARIANT: 'hardware' } });
  try {
    await hub.login();
    const [password, second] = ['nine-harbour-lights', 'ten-lighthouse-keys'];
    await hub.api('/api/usr/add', { name: 'kim', password, 'group-id': 2 });
    const heard = eavesdrop(page);
    const url = `http://${lanName}:${hub.ports.http}`;
    await page.goto(url);
    expect(await page.evaluate(() => isSecureContext)).toBe(false);
    await page.getByRole('textbox', { name: 'Username' }).fill('kim');
    const field = page.getByLabel('Password', { exact: true });
    const signIn = page.getByRole('button', { name: 'Sign in' });
    await field.fill('not-that-one');
    await signIn.click();
    await expect(page.getByRole('alert')).toHaveText('Incorrect username or password.');
    await field.fill(password);
    await signIn.click();
    await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();

    await page.goto(`${url}/#/settings/access-tokens?dialog=add`);
    const form = page.getByRole('dialog', { name: 'Add access token' });
    await form.getByRole('textbox', { name: 'Name' }).fill('Nightly export');
    await form.getByRole('checkbox', { name: 'View channels' }).check();
    await form.getByLabel('Your password', { exact: true }).fill(password);
    await form.getByRole('button', { name: 'Add access token' }).click();
    await page.getByRole('button', { name: 'Done' }).click();

    await page.goto(`${url}/#/settings/profile?dialog=password`);
    const dialog = page.getByRole('dialog', { name: 'Change password' });
    await dialog.getByLabel('Current password', { exact: true }).fill(password);
    await dialog.getByLabel('New password', { exact: true }).fill(second);
    await dialog.getByLabel('Repeat the password', { exact: true }).fill(second);
    await dialog.getByRole('button', { name: 'Change password' }).click();
    await expect(page.getByText('Your password was changed.')).toBeVisible();

    for (const secret of [password, md5Of(password), 'not-that-one']) expect(heard()).not.toContain(secret);
    const login = heard()
      .split('\n')
      .find((line) => line.includes('"proof"'));
    expect(await hub.answer('/api/login', JSON.parse(login ?? '{}'))).toMatchObject({ result: 7 });
  } finally {
    await page.close();
    await hub.stop();
  }
});
