import type { Page } from '@playwright/test';
import { source } from '../integration/live-media.ts';
import { MwapiDevice } from '../sim/devices/mwapi.ts';
import { currentPicture } from '../sim/devices/pictures.ts';
import { type ServedDevice, serveDevice } from '../sim/devices/serve.ts';
import { serveStream } from '../sim/devices/stream-source.ts';
import { UsapiDevice } from '../sim/devices/usapi.ts';

import { looped } from '../support/clips.ts';
import { makeDeviceCertificate } from '../support/device-certificates.ts';
import { axeFaults } from './axe.ts';
import { expect, test } from './console-test.ts';

test.use({ features: 'devices' });

const served: Pick<ServedDevice, 'close'>[] = [];
test.afterEach(async () => {
  await Promise.all(served.splice(0).map((one) => one.close()));
});

const hostOf = ({ address: { host, port } }: ServedDevice) => `${host}:${port}`;

function encoder(name: string, sn: string, certificate?: Parameters<typeof serveDevice>[1]): ServedDevice {
  const device = serveDevice(new UsapiDevice({ kind: 'encode', sn, name }), certificate);
  served.push(device);
  return device;
}

async function add(page: Page, address: string, password = 'Admin'): Promise<void> {
  await page.getByRole('button', { name: 'Add device', exact: true }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Add device' });
  await dialog.getByRole('textbox', { name: 'Address' }).fill(address);
  await dialog.getByLabel('Password on the device').fill(password);
  await dialog.getByRole('button', { name: 'Add device' }).click();
}

test('a device is added by its address, shows its picture, moves to a group, and has a page', async ({ page }) => {
  const device = encoder('Nave left', 'B313240920101');
  await page.goto('/#/devices/all');
  await add(page, hostOf(device));
  const row = page.getByRole('row', { name: /Nave left/ });
  await expect(row.getByText('Online')).toBeVisible();
  await expect(row.getByRole('img', { name: 'Picture of Nave left' })).toBeVisible();
  expect(await axeFaults(page)).toEqual([]);

  await page.getByRole('button', { name: 'Add device group' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Chapel');
  await page.getByRole('dialog').getByRole('button', { name: 'Add group' }).click();
  await expect(page.getByRole('heading', { name: 'Chapel', level: 1 })).toBeVisible();
  await page.getByRole('link', { name: 'All devices' }).first().click();
  await page.getByRole('button', { name: 'More actions for Nave left' }).click();
  await page.getByRole('menuitem', { name: 'Move to a group' }).click();
  await page.getByRole('dialog').getByLabel('Device group').selectOption('Chapel');
  await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).click();
  await page.getByRole('navigation').getByRole('link', { name: 'Chapel' }).click();
  await expect(page.getByRole('row', { name: /Nave left/ })).toBeVisible();

  // On a tablet the menu shows icons, one of which opens the groups.
  await page.setViewportSize({ width: 820, height: 1180 });
  await page.goto('/#/devices/all');
  const menu = page.getByRole('navigation', { name: 'Main menu' });
  await expect(menu.getByRole('link', { name: 'Chapel' })).toBeHidden();
  await menu.getByRole('button', { name: 'Device groups' }).click();
  await page.getByRole('menuitemradio', { name: 'Chapel' }).click();
  await expect(page.getByRole('heading', { name: 'Chapel', level: 1 })).toBeVisible();
  await page.setViewportSize({ width: 1440, height: 900 });

  await page.getByRole('link', { name: 'Nave left' }).click();
  await expect(page.getByText('B313240920101')).toBeVisible();
  await page.getByText('Streams', { exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Main stream' })).toBeVisible();
  expect(await axeFaults(page)).toEqual([]);
});

test('the page of a device connects it to a channel, shows the path, its log and who sees it', async ({
  page,
  stage,
}) => {
  const channel = await stage.channel('Sunday service');
  await stage.output(channel, 'Partner station', { type: 1, url: 'rtmp://127.0.0.1:9/live', key: 'live-1' });
  const device = encoder('Nave right', 'B313240920103');
  await page.goto('/#/devices/all');
  await add(page, hostOf(device));
  await page.getByRole('link', { name: 'Nave right' }).click();
  await expect(page.getByRole('img', { name: /^CPU: / })).toBeVisible();
  await page.getByRole('button', { name: 'Use as input of a channel' }).click();
  await page.getByRole('dialog').getByLabel('Channel').selectOption(channel.name);
  await page.getByRole('dialog').getByRole('button', { name: 'Connect' }).click();
  const path = page.getByRole('list', { name: 'From the source to the receivers' });
  await expect(path.getByRole('link', { name: channel.name })).toBeVisible();
  await expect(path.getByRole('link', { name: 'Partner station' })).toBeVisible();

  await page.getByText('Log', { exact: true }).click();
  const events = page.getByRole('region', { name: 'Events' });
  await expect(events.getByText('Online')).toBeVisible();
  const changes = page.getByRole('region', { name: 'Changes' });
  await expect(changes.getByRole('row')).toHaveCount(3);

  await page.getByText('Security', { exact: true }).click();
  await expect(page.getByText('Inherited: as for all devices')).toBeVisible();
  const users = page.getByRole('table', { name: 'Users who see this device' });
  await expect(users.getByRole('row', { name: 'viewer' })).toContainText('See it');
  await page.getByRole('button', { name: 'Edit who may see it' }).click();
  await page.getByRole('dialog').getByLabel('Who may see it').selectOption('Only these groups and users');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Administrators only')).toBeVisible();
  await expect(users.getByRole('row', { name: 'viewer' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Favorite' }).click();
  await expect(page.getByRole('button', { name: 'Favorite', pressed: true })).toBeVisible();
});

test('a self-signed certificate is trusted after a question; a wrong password is said as such', async ({ page }) => {
  const certificate = makeDeviceCertificate('encoder');
  const device = encoder('Gallery', 'B313240920102', certificate);
  await page.goto('/#/devices/all');
  await add(page, `https://${hostOf(device)}`, 'wrong');
  const dialog = page.getByRole('dialog', { name: 'Add device' });
  await expect(dialog.getByText(certificate.fingerprint)).toBeVisible();
  await dialog.getByRole('button', { name: 'Trust and add' }).click();
  await expect(dialog.getByText('Wrong username or password')).toBeVisible();
  await dialog.getByLabel('Password on the device').fill('Admin');
  await dialog.getByRole('button', { name: 'Trust and add' }).click();
  await expect(page.getByRole('row', { name: /Gallery/ }).getByText('Online')).toBeVisible();
});

test('a list adds several devices and names those that failed', async ({ page }) => {
  const lobby = serveDevice(new MwapiDevice({ kind: 'decoder', sn: 'A421240212101', name: 'Lobby' }));
  served.push(lobby);
  await page.goto('/#/devices/all?dialog=add');
  const dialog = page.getByRole('dialog', { name: 'Add device' });
  await dialog.getByText('List', { exact: true }).click();
  await dialog.getByLabel('Devices').fill(`${hostOf(lobby)}, Admin, Admin, Lobby screen\n127.0.0.1:1, Admin, Admin`);
  await dialog.getByRole('button', { name: 'Add devices' }).click();
  await expect(dialog.getByText('127.0.0.1:1')).toBeVisible();
  await expect(dialog.getByText('Not reachable')).toBeVisible();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('row', { name: /Lobby screen/ })).toBeVisible();
});

test('the reasons of devices that cannot be chosen are shown in full', async ({ page, stage, hub }) => {
  // More than the list has room for.
  const cameras = Array.from({ length: 7 }, (_, at) =>
    serveDevice(new MwapiDevice({ kind: 'encoder', sn: `B40124021211${at}`, name: `Camera ${at}` })),
  );
  served.push(...cameras);
  const login = { user: 'Admin', password: 'Admin' };
  await hub.api('/api/device/add', { list: cameras.map((camera) => ({ address: hostOf(camera), ...login })) });
  const channel = await stage.channel('Reasons');
  await page.goto(`/#/stream/channel/detail/${channel.id}`);
  await page.getByRole('button', { name: 'Use a device' }).click();
  const list = page.getByRole('radiogroup', { name: 'Device' });
  await expect(list.getByText('The hub cannot set it up')).toHaveCount(cameras.length);
  const cut = await list
    .locator('label')
    .evaluateAll((rows) => rows.filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight).length);
  expect(cut).toBe(0);
});

test('a stream of any make is added, shows its picture, and keeps its login when it is edited', async ({ page }) => {
  const camera = serveStream({ input: looped(source), picture: currentPicture });
  served.push(camera);
  await page.goto('/#/devices/all');
  await page.getByRole('button', { name: 'Add device', exact: true }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Add device' });
  await dialog.getByText('Stream', { exact: true }).click();
  await dialog.getByRole('button', { name: 'Add device' }).click();
  await expect(dialog.getByText('Required')).toBeVisible();
  await dialog.getByLabel('Address of the stream').fill(`${camera.origin}/live.ts`);
  await dialog.getByLabel('Address of the picture').fill('/picture.jpg');
  await dialog.getByLabel('Name', { exact: true }).fill('Yard');
  await dialog.getByLabel('Username').fill('viewer');
  await dialog.getByLabel('Password', { exact: true }).fill('of-the-stream');
  await dialog.getByRole('button', { name: 'Add device' }).click();
  // The stream is opened before the device is added, and again for its state.
  await expect(dialog).toHaveCount(0, { timeout: 20_000 });
  const row = page.getByRole('row', { name: /Yard/ });
  await expect(row.getByText('Online')).toBeVisible({ timeout: 20_000 });
  await expect(row.getByRole('img', { name: 'Picture of Yard' })).toBeVisible();
  await page.getByRole('button', { name: 'More actions for Yard' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  const edit = page.getByRole('dialog', { name: /Edit device/ });
  await expect(edit.getByLabel('Username')).toHaveValue('viewer');
  await expect(edit.getByLabel('Password', { exact: true })).toHaveAttribute('placeholder', 'Unchanged');
  await edit.getByLabel('Name', { exact: true }).fill('Gate');
  await edit.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('row', { name: /Gate/ })).toBeVisible();
  expect(await axeFaults(page)).toEqual([]);
});
