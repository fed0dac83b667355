/** The page Certificate of a hub with HTTPS: an authority of the tests signs what the page requests. */
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import type { Settings } from '../../daemon/contract/settings.ts';
import { type CertificateChain, makeChain } from '../integration/certificate-chain.ts';
import { type HubProcess, startHub } from '../integration/hub-process.ts';
import { signInCookie } from './accounts.ts';
import { axeFaults } from './axe.ts';
import { expect, test } from './console-test.ts';

test.use({ account: 'nobody' });

let folder: string;
let chain: CertificateChain;
let hub: HubProcess;
test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-certificate-'));
  chain = await makeChain(folder);
  hub = await startHub({ env: { SIGNALBOX_HTTPS_PORT: '0' } });
  await hub.login();
});
test.afterAll(async () => {
  await hub.stop();
  rmSync(folder, { recursive: true });
});

const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const pem = (text: string) => ({ name: 'hub.pem', mimeType: 'application/x-pem-file', buffer: Buffer.from(text) });
const unconfirmed = async () => (await hub.api<Settings>('/api/settings/get')).unconfirmed;

/** Exit code of a client that trusts the authority alone. */
async function curl(): Promise<number> {
  const url = `https://127.0.0.1:${hub.ports.https}/api/health`;
  return Bun.spawn(['curl', '-sS', '--max-time', '5', '--cacert', join(folder, 'root.pem'), url], {
    stdout: 'ignore',
    stderr: 'ignore',
  }).exited;
}

test('a certificate that an authority signs for the request of the page is installed without a key, and clients trust it', async ({
  page,
}) => {
  await page.context().addCookies([await signInCookie(hub, 'admin')]);
  await page.goto(`${hub.url}/#/settings/certificate`);
  await expect(panel(page, 'Certificate in use')).toContainText('this hub created it');
  expect(await curl()).not.toBe(0);

  const form = panel(page, 'Certificate request');
  await form.getByRole('textbox', { name: 'Further names and addresses' }).fill('-x');
  await form.getByRole('button', { name: 'Create request' }).click();
  await expect(form.getByRole('textbox', { name: 'Further names and addresses' })).toHaveAttribute(
    'aria-invalid',
    'true',
  );
  await form.getByRole('textbox', { name: 'Further names and addresses' }).fill('localhost\nhub.example.org');
  await form.getByRole('textbox', { name: 'Organization (optional)' }).fill('Studio “1”');
  await form.getByRole('button', { name: 'Create request' }).click();
  const request = await form.getByRole('textbox', { name: 'Request', exact: true }).inputValue();
  const downloading = page.waitForEvent('download');
  await form.getByRole('button', { name: 'Download' }).click();
  expect(readFileSync(await (await downloading).path(), 'utf8')).toBe(request);
  const signed = await chain.sign(request);
  expect(new X509Certificate(signed).subjectAltName).toBe('IP Address:127.0.0.1, DNS:localhost, DNS:hub.example.org');

  const install = panel(page, 'Install a certificate');
  const [certificate, key] = [install.locator('input[type=file]').first(), install.locator('input[type=file]').last()];
  await key.setInputFiles(pem(chain.encryptedKeys[0] ?? ''));
  await expect(install.getByRole('alert')).toContainText('The private key is protected by a passphrase');
  expect(await axeFaults(page)).toEqual([]);
  await key.setInputFiles(pem(chain.key));
  await certificate.setInputFiles(pem(signed + chain.intermediate));
  await expect(install).toContainText('CN=127.0.0.1, O=Studio “1”');
  await install.getByRole('button', { name: 'Install…' }).click();
  await page.getByRole('button', { name: 'Try the change' }).click();
  await expect(install.getByRole('alert')).toContainText('The key does not belong to the certificate');

  await install.getByRole('button', { name: 'Discard' }).click();
  await certificate.setInputFiles(pem(signed + chain.intermediate));
  await expect(install).toContainText('The hub has the key of this certificate');
  expect(await axeFaults(page)).toEqual([]);
  await install.getByRole('button', { name: 'Install…' }).click();
  const question = page.getByRole('dialog', { name: 'Install this certificate?' });
  await expect(question).toContainText('the same address');
  await question.getByRole('button', { name: 'Try the change' }).click();
  await expect(page.getByText('The change is confirmed.')).toBeVisible();
  await expect(panel(page, 'Certificate in use')).toContainText('CN=intermediate');
  await expect(panel(page, 'Certificate in use')).toContainText('The certificate expires in');
  expect(await unconfirmed()).toBeUndefined();
  await expect.poll(curl).toBe(0);
});

test('a page whose browser does not trust the certificate comes back once its user accepts it, and returns to one that the hub signs', async ({
  browser,
}) => {
  const context = await browser.newContext();
  try {
    await context.addCookies([await signInCookie(hub, 'admin')]);
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    /** What the browser's own page about a certificate does when its user goes on. */
    const accept = (ignore: boolean) => session.send('Security.setIgnoreCertificateErrors', { ignore });
    await accept(true);
    const address = `https://127.0.0.1:${hub.ports.https}/#/settings/certificate`;
    await page.goto(address);
    const install = panel(page, 'Install a certificate');
    await install
      .locator('input[type=file]')
      .first()
      .setInputFiles(pem(chain.leaf + chain.intermediate + chain.key));
    await expect(install.getByText('hub.pem')).toHaveCount(2);
    await install.getByRole('button', { name: 'Install…' }).click();
    const attempt = page.getByRole('button', { name: 'Try the change' });
    // What the page needs from here on is loaded.
    await expect(attempt).toBeVisible();
    await accept(false);
    await attempt.click();
    const again = page.getByRole('button', { name: 'Load the page again' });
    await expect(again).toBeVisible();
    expect(await axeFaults(page)).toEqual([]);
    expect((await unconfirmed())?.web).toBeGreaterThan(Date.now());
    await again.click();
    // The browser shows its own page instead.
    await page.waitForURL(/^chrome-error:/);
    await accept(true);
    await page.goto(address);
    await expect(page.getByText('The change is confirmed.')).toBeVisible();
    expect(await unconfirmed()).toBeUndefined();

    const present = panel(page, 'Certificate in use');
    await expect(present).toContainText('CN=leaf');
    await present.getByRole('button', { name: 'Return to a self-signed certificate…' }).click();
    await page.getByRole('button', { name: 'Try the change' }).click();
    await expect(present).toContainText('this hub created it');
    await expect.poll(unconfirmed).toBeUndefined();
  } finally {
    await context.close();
  }
});
