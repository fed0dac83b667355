import { randomFillSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from '@playwright/test';
import { AgentProcess, killAgents } from '../integration/agent-process.ts';
import { adminPassword, type HubProcess, startHub } from '../integration/hub-process.ts';
import { type ServedDevice, serveDevice } from '../sim/devices/serve.ts';
import { UsapiDevice } from '../sim/devices/usapi.ts';
import { DevicePage } from '../sim/devices/web-page.ts';
import { leasePort } from '../support/ports.ts';
import { signInCookie } from './accounts.ts';
import { axeFaults } from './axe.ts';
import { lanName } from './browser.ts';
import { expect, test } from './console-test.ts';

test.use({ features: 'devices' });
const fileBytes = 200 << 20;

const served: ServedDevice[] = [];
let folder: string;
test.beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sb-device-console-'));
  writeFileSync(join(folder, 'password'), 'Admin\n');
});
test.afterEach(async () => {
  await killAgents();
  await Promise.all(served.splice(0).map(({ close }) => close()));
});
test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

function serve(sn: string, name: string): { readonly page: DevicePage; readonly at: string } {
  const page = new DevicePage(new UsapiDevice({ kind: 'encode', sn, name }), name);
  const one = serveDevice(page);
  served.push(one);
  return { page, at: `127.0.0.1:${one.address.port}` };
}

async function add(hub: HubProcess, sn: string, name: string): Promise<DevicePage> {
  const { page, at } = serve(sn, name);
  await hub.api('/api/device/add', { address: at, user: 'Admin', password: 'Admin' });
  return page;
}

async function link(hub: HubProcess, sn: string, name: string): Promise<DevicePage> {
  const { page, at } = serve(sn, name);
  const agent = new AgentProcess({
    ...{ hub: `127.0.0.1:${hub.ports.link}`, code: '', devices: [`http://${at}`], timeDivisor: 5 },
    ...{ passwordFile: join(folder, 'password'), state: join(folder, sn), more: ['--insecure'] },
  });
  await agent.says('waits until an administrator');
  await hub.api('/api/device/accept', { sn });
  await agent.says('connected');
  return page;
}

/** Opens the page of the device in a tab, and signs in to it. */
async function openPage(from: Page, sn: string, query = '/'): Promise<Page> {
  const tab = await from.context().newPage();
  await tab.goto(new URL(`/socket/sc-remote/${sn}/`, from.url()).href);
  await signInTo(tab);
  if (query !== '/') await tab.goto(new URL(query, tab.url()).href);
  return tab;
}

async function signInTo(tab: Page): Promise<Page> {
  await tab.waitForURL('**/login.html');
  await tab.locator('[name=password]').fill('open');
  await tab.getByRole('button', { name: 'Sign in' }).click();
  await expect(tab.locator('#socket')).toHaveText('echo.1 100000');
  return tab;
}

for (const [way, sn, connect] of [
  ['that was added by its address', 'B313240920121', add],
  ['that an agent has linked', 'B313240920122', link],
] as const) {
  test(`the page of a device ${way} works: scripts, cookies, WebSocket, absolute paths, and a file of 200 MB`, async ({
    hub,
    context,
    page,
  }) => {
    const device = await connect(hub, sn, 'Nave');
    // A session of its own, which it ends.
    await context.addCookies([await signInCookie(hub, 'admin')]);
    await page.goto(`/#/device/detail/${sn}`);
    const opened = context.waitForEvent('page');
    await page.getByRole('button', { name: 'Open web page' }).click();
    const tab = await signInTo(await opened);
    expect(await tab.evaluate(() => window.opener)).toBeNull();
    await expect(tab.getByRole('heading', { name: 'Nave' })).toHaveCSS('color', 'rgb(1, 2, 3)');
    await expect(tab.locator('#status')).toHaveText('Nave');
    expect(new URL(tab.url()).pathname).toBe('/');

    const bytes = randomFillSync(Buffer.allocUnsafe(fileBytes));
    const file = join(folder, 'file.bin');
    writeFileSync(file, bytes);
    await tab.locator('#file').setInputFiles(file);
    await expect(tab.locator('#upload')).toHaveText(/^\d+ /, { timeout: 30_000 });
    const sha256 = new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
    expect(device.uploaded).toEqual({ bytes: fileBytes, sha256 });

    // Its requests and WebSockets end with the session in the hub.
    await page.evaluate(() => fetch('/api/logout', { method: 'POST' }));
    await expect(tab.locator('#socket')).toHaveText('closed', { timeout: 1000 });
    await tab.close();
    await page.close();
  });
}

/** What the hostile page has come to, with all that it could reach refused. */
interface Attempts {
  readonly cookies: string;
  readonly [name: string]: string;
}

async function signedIn(context: BrowserContext, origin: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${origin}/#/login`);
  await page.getByRole('textbox', { name: 'Username' }).fill('Admin');
  await page.getByLabel('Password', { exact: true }).fill(adminPassword);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/#/dashboard');
  return page;
}

async function attack(browser: Browser, origin: string, device: DevicePage): Promise<void> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  try {
    const page = await signedIn(context, origin);
    const query = new URLSearchParams({ hub: origin, other: 'B313240920124' });
    const tab = await openPage(page, 'B313240920123', `/hostile?${query}`);
    await expect(tab.locator('#results')).not.toBeEmpty();
    const { cookies, ...attempts }: Attempts = JSON.parse((await tab.locator('#results').textContent()) ?? '');
    for (const [name, result] of Object.entries(attempts)) {
      expect.soft(`${name}: ${result}`).toMatch(/: (null|false|refused|empty)/);
    }
    expect(cookies.split('; ').map((pair) => pair.split('=')[0])).toEqual(['signalbox-signed-in']);
    // The browser keeps neither what the device has set nor what its page has stored for another one.
    const kept = await context.cookies();
    expect(kept.filter(({ name }) => name === 'session')).toEqual([]);
    expect(await page.evaluate(() => localStorage.getItem('of'))).toBeNull();
    const other = await openPage(page, 'B313240920124');
    expect(new URL(other.url()).origin).not.toBe(new URL(tab.url()).origin);
    // The user is still signed in, also with the cookies that the page has added.
    await page.reload();
    await page.reload();
    await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();
    const secret = kept.find(({ name }) => name === 'mwcloud-sid')?.value ?? 'none';
    for (const { headers } of device.seen) expect(JSON.stringify([...headers])).not.toContain(secret);
  } finally {
    await context.close();
  }
}

test('with one port, another device opens when the user has closed the first one, and finds nothing of it', async ({
  browser,
}) => {
  const port = leasePort();
  const env = { SIGNALBOX_FEATURES: 'devices', SIGNALBOX_CONSOLE_PORT: String(port) };
  const hub = await startHub({ env });
  const context = await browser.newContext();
  try {
    await hub.login();
    await add(hub, 'B313240920125', 'First');
    await add(hub, 'B313240920126', 'Second');
    const page = await signedIn(context, hub.url);
    const first = await openPage(page, 'B313240920125');
    expect(await first.evaluate(() => localStorage.getItem('of'))).toBe('First');
    await first.close();
    const tab = await context.newPage();
    await tab.goto(`${hub.url}/socket/sc-remote/B313240920126/`);
    await expect(tab.getByRole('heading', { name: 'Close the other device first' })).toBeVisible();
    expect(await axeFaults(tab)).toEqual([]);
    await tab.getByRole('button').click();
    await tab.waitForURL('**/login.html');
    expect(await tab.evaluate(() => localStorage.getItem('of'))).toBeNull();
    await signInTo(tab);
    await expect(tab.locator('#status')).toHaveText('Second');
    expect(Number(new URL(tab.url()).port)).toBe(port);
  } finally {
    await context.close();
    await hub.stop();
  }
});

test('the page of a device cannot read or call the hub, over HTTP and HTTPS', async ({ browser }) => {
  const hub = await startHub({ env: { SIGNALBOX_FEATURES: 'devices', SIGNALBOX_HTTPS_PORT: '0' } });
  try {
    await hub.login();
    const device = await add(hub, 'B313240920123', 'Hostile');
    await add(hub, 'B313240920124', 'Other');
    await attack(browser, `https://127.0.0.1:${hub.ports.https}`, device);
    await attack(browser, `http://${lanName}:${hub.ports.http}`, device);
  } finally {
    await hub.stop();
  }
});
