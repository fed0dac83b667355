import type { Page } from '@playwright/test';
import { type ServedDevice, serveDevice } from '../sim/devices/serve.ts';
import { UsapiDevice } from '../sim/devices/usapi.ts';
import { axeFaults } from './axe.ts';
import { expect, test } from './console-test.ts';

test.use({ features: 'devices' });

const served: ServedDevice[] = [];
test.afterEach(async () => {
  await Promise.all(served.splice(0).map((one) => one.close()));
});

/** An encoder that the hub has added. */
async function encoder(hub: { api(path: string, body?: object): Promise<unknown> }, name: string, sn: string) {
  const device = new UsapiDevice({ kind: 'encode', sn, name });
  const one = serveDevice(device);
  served.push(one);
  await hub.api('/api/device/add', { address: `127.0.0.1:${one.address.port}`, user: 'Admin', password: 'Admin' });
  return device;
}

const message = (page: Page, text: string) => page.getByRole('region', { name: 'Messages' }).getByText(text);

test('a device records, is renamed and restarts, and what it refuses is said in words', async ({ page, hub }) => {
  const device = await encoder(hub, 'Choir loft', 'B313240920141');
  await page.goto(`/#/device/detail/${device.sn}`);
  await page.getByRole('button', { name: 'Start recording' }).click();
  await expect(page.getByRole('button', { name: /^Stop recording 00:00:0\d/ })).toBeVisible();
  await expect(message(page, '“Choir loft” is recording.')).toBeVisible();
  await page.getByRole('button', { name: /^Stop recording/ }).click();
  device.hasDisk = false;
  await expect(message(page, '“Choir loft” has stopped recording.')).toBeVisible();
  await page.getByRole('button', { name: 'Start recording' }).click();
  await expect(message(page, 'Choir loft: No storage in the device.')).toBeVisible();

  const menu = page.getByRole('button', { name: 'More actions for Choir loft' });
  await menu.click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  const rename = page.getByRole('dialog', { name: 'Rename “Choir loft”' });
  await rename.getByLabel('Name').fill('x'.repeat(33));
  await rename.getByRole('button', { name: 'Rename' }).click();
  await expect(rename.getByText('At most 32 characters')).toBeVisible();
  await rename.getByLabel('Name').fill('Organ loft');
  await rename.getByRole('button', { name: 'Rename' }).click();
  await expect(page.getByRole('heading', { name: 'Organ loft', level: 1 })).toBeVisible();
  expect(device.name).toBe('Organ loft');

  await page.goto(`/#/device/detail/${device.sn}?dialog=reboot`);
  const question = page.getByRole('dialog', { name: 'Restart “Organ loft”?' });
  await expect(question.getByText('No channel uses it at present, and nothing is being recorded.')).toBeVisible();
  expect(await axeFaults(page)).toEqual([]);
  await question.getByRole('button', { name: 'Restart' }).click();
  await expect(page.getByText(/^back in about (1 min|\d+ s)/)).toBeVisible();
  // It keeps the focus, and says why it cannot be used.
  const start = page.getByRole('button', { name: 'Start recording' });
  await expect(start).toHaveAttribute('aria-disabled', 'true');
  await expect(start).toHaveAccessibleDescription('The device is restarting.');
});

test('several devices act together; those that failed are tried again', async ({ page, hub }) => {
  const able = await encoder(hub, 'Aisle 1', 'B313240920151');
  const empty = await encoder(hub, 'Aisle 2', 'B313240920152');
  const off = await encoder(hub, 'Aisle 3', 'B313240920153');
  empty.hasDisk = false;
  off.faults = { status: 500 };
  await page.goto('/#/devices/all?q=Aisle');
  const row = (name: string) => page.getByRole('row', { name: new RegExp(name) });
  await expect(row('Aisle 3').getByText('Offline')).toBeVisible();
  await page.getByRole('checkbox', { name: 'Select all 3' }).check();
  await page.getByRole('button', { name: 'Control the selected devices' }).click();
  await page.getByRole('menuitem', { name: 'Start recording 2' }).click();
  const dialog = page.getByRole('dialog', { name: 'Start recording' });
  await expect(dialog.getByText('2 of 3 devices can do this.')).toBeVisible();
  const others = dialog.getByRole('list', { name: 'Devices that cannot do this' });
  await expect(others.getByRole('listitem')).toHaveText('The device is offline.Aisle 3');
  await dialog.getByRole('button', { name: 'Start recording 2' }).click();
  await expect(dialog.getByText('1 done, 1 failed')).toBeVisible();
  const items = dialog.getByRole('list', { name: 'Items' }).getByRole('listitem');
  await expect(items).toHaveText(['Aisle 2FailedNo storage in the device.', 'Aisle 1Done']);
  expect(await axeFaults(page)).toEqual([]);
  empty.hasDisk = true;
  await dialog.getByRole('button', { name: 'Retry failed devices' }).click();
  await expect(dialog.getByText('1 done', { exact: true })).toBeVisible();
  await expect(items).toHaveText(['Aisle 2Done']);
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await expect(row('Aisle 2').getByText('Recording')).toBeVisible();
  await expect(row('Aisle 1').getByText('Recording')).toBeVisible();

  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('combobox').fill('Aisle 1');
  await page.getByRole('option', { name: 'Stop recording: Aisle 1' }).click();
  await expect(message(page, '“Aisle 1” has stopped recording.')).toBeVisible();
  expect(able.calls).toContain('stop-rec');
});
