/** An operator changes the address of the hub in a browser of the local network: each time they end on a working console. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chmodSync, writeFileSync } from 'node:fs';
import { type Browser, expect as expectPage, type Page, chromium as playwright } from '@playwright/test';
import { signInCookie } from '../e2e/accounts.ts';
import { chromium } from '../e2e/browser.ts';
import { type HubProcess, startHub } from '../integration/hub-process.ts';
import { until } from '../support/until.ts';
import { busAddress, inLab, networks } from './lab.ts';

const { lan } = networks;
const [first, second] = [`${lan.net}.10`, `${lan.net}.20`];
/** In a network that the browser does not reach. */
const unreachable = '172.16.9.9';
/** The minute to confirm a change takes 4 s: the browser has to load the console at the new address meanwhile. */
const timeDivisor = 15;
const browserProgram = '/run/world/chromium-in-lan';

inLab('an operator in a browser ends on a working console', import.meta.path, (lab) => {
  let browser: Browser;
  let hub: HubProcess;
  let page: Page;

  const at = (address: string) => `http://${address}:${hub.ports.http}`;
  const isAt = (address: string) => lab.reaches('lan', `${at(address)}/api/health`);
  const form = () => page.getByRole('form', { name: 'Settings of ETH1' });
  const address = () => form().getByRole('textbox', { name: 'IP address' });
  const changeTo = async (next: string): Promise<void> => {
    await address().fill(next);
    await form().getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change the settings of ETH1?' });
    await expectPage(dialog).toContainText(`${at(next)}/`);
    await dialog.getByRole('button', { name: 'Try the change' }).click();
  };
  /** The change is in effect, which takes the hub out of the reach of the browser. */
  const isGone = async (): Promise<void> => {
    await expectPage(page.getByRole('dialog', { name: 'The new settings are being tried' })).toBeVisible();
    await until(async () => !(await isAt(second)));
  };
  /** The change is undone, and the page says why and continues at the address where it was. */
  const returns = async (): Promise<void> => {
    const note = page.getByRole('dialog', { name: 'The previous settings are back' });
    await expectPage(note).toContainText('The change was not confirmed in time.', { timeout: 20_000 });
    await note.getByRole('button', { name: 'Continue' }).click();
    await expectPage(note).toHaveCount(0);
    await expectPage(address()).toHaveValue(unreachable);
    await form().getByRole('button', { name: 'Discard' }).click();
    await expectPage(address()).toHaveValue(second);
    await page.reload();
    await expectPage(page.getByRole('heading', { name: 'Network', level: 1 })).toBeVisible();
    await expectPage(page).toHaveURL(`${at(second)}/#/settings/network`);
  };

  beforeAll(async () => {
    await lab.start();
    const env = { SIGNALBOX_VARIANT: 'hardware', SIGNALBOX_BIND: '0.0.0.0', DBUS_SYSTEM_BUS_ADDRESS: busAddress };
    hub = await startHub({ env, timeDivisor });
    await hub.login();
    await hub.api('/api/network/set', {
      eth1: { dhcp: false, ip: first, mask: '255.255.255.0', gateway: '', 'primary-dns': '', 'secondary-dns': '' },
      ...{ 'confirm-within': 0, 'accept-risk': true },
    });
    await until(() => isAt(first), 10_000, 'the hub answers at its address');
    writeFileSync(browserProgram, `#!/bin/sh\nexec ip netns exec lan ${chromium.executablePath} "$@"\n`);
    chmodSync(browserProgram, 0o755);
    browser = await playwright.launch({ ...chromium, executablePath: browserProgram });
    const context = await browser.newContext({ reducedMotion: 'reduce' });
    await context.addCookies([{ ...(await signInCookie(hub, 'admin')), url: at(first) }]);
    page = await context.newPage();
    page.setDefaultTimeout(10_000);
    await page.goto(`${at(first)}/#/settings/network`);
  });
  afterAll(async () => {
    await browser?.close();
    await hub?.stop();
    await lab.stop();
  });

  test('confirmed: the page goes to the new address by itself and continues there, signed in', async () => {
    await changeTo(second);
    await expectPage(page.getByText('The change is confirmed. The console stays at this address.')).toBeVisible();
    await expectPage(page).toHaveURL(`${at(second)}/#/settings/network`);
    await expectPage(address()).toHaveValue(second);
    await expectPage(page.getByText('You are connected through this port.')).toBeVisible();
    expect(await isAt(first)).toBe(false);
  });

  test('not confirmed: the page is back where it was', async () => {
    await changeTo(unreachable);
    await isGone();
    await returns();
  });

  test('the hub killed: the page is back where it was', async () => {
    await changeTo(unreachable);
    await isGone();
    await hub.kill('SIGKILL');
    await hub.restart();
    await returns();
  });

  test('NetworkManager killed: the page is back where it was', async () => {
    await changeTo(unreachable);
    await isGone();
    await lab.stopManager('SIGKILL');
    await lab.startManager();
    await returns();
  });
});
