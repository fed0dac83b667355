/** Upgrades of devices from the console: which ones, with which file, how it goes, and what is reported. */
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import type { HubProcess } from '../integration/hub-process.ts';
import { firmwareImage } from '../sim/devices/firmware.ts';
import { type ServedDevice, serveDevice } from '../sim/devices/serve.ts';
import { UsapiDevice } from '../sim/devices/usapi.ts';
import { axeFaults } from './axe.ts';
import { expect, test } from './console-test.ts';
import { addFirmware, clearFirmware } from './firmware-scene.ts';

test.use({ features: 'devices', meantFault: /upgrade/ });

const served: ServedDevice[] = [];
test.afterEach(async ({ hub }) => {
  const { list } = await hub.api<{ list: { sn: string }[] }>('/api/device/list');
  if (list.length > 0) await hub.api('/api/device/del', { sn: list.map(({ sn }) => sn) });
  await Promise.all(served.splice(0).map((one) => one.close()));
  await clearFirmware(hub);
});

async function encoder(hub: HubProcess, name: string, sn: string, does = {}): Promise<UsapiDevice> {
  const device = new UsapiDevice({ kind: 'encode', sn, name, writeMs: 300, rebootMs: 300 }).asRecorded(does);
  const one = serveDevice(device);
  served.push(one);
  const address = `127.0.0.1:${one.address.port}`;
  await hub.api('/api/device/add', { address, user: 'Admin', password: 'Admin' });
  return device;
}

const image = (version: string) => firmwareImage({ productId: 787, hardware: 'B', version, bytes: 64 * 1024 });
const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Upgrade firmware' });

test('devices of a file are upgraded, the busy ones say why not, and the report has a line for each', async ({
  page,
  hub,
}) => {
  const left = await encoder(hub, 'Nave left', 'B313240920101');
  const right = await encoder(hub, 'Nave right', 'B313240920102');
  await encoder(hub, 'Truck', 'B313240920103', { recording: true });
  await addFirmware(hub, 'firmware-787-0-B-2.5.1.mwf', image('2.5.1'));
  await page.goto('/#/settings/firmware');
  await page.getByRole('button', { name: 'More actions for firmware-787-0-B-2.5.1.mwf' }).click();
  await page.getByRole('menuitem', { name: 'Upgrade devices' }).click();
  const dialog = dialogOf(page);
  await expect(dialog.getByRole('checkbox', { name: /^Nave left/ })).toBeChecked();
  await expect(dialog.getByRole('checkbox', { name: /^Truck.*Busy/ })).toBeDisabled();
  await expect(dialog.getByText('2 of 3 selected')).toBeVisible();
  expect(await axeFaults(page)).toEqual([]);
  right.firmware.faults = { failsAt: 50 };
  await dialog.getByRole('button', { name: 'Upgrade 2 devices' }).click();
  await expect(
    dialog.getByText('The device could not install the file').or(dialog.getByText('1 upgraded, 1 failed')),
  ).toHaveCount(2, { timeout: 60_000 });
  expect(left.firmware.version).toBe('2.5.1');
  expect(await axeFaults(page)).toEqual([]);
  const download = page.waitForEvent('download');
  await dialog.getByRole('link', { name: 'Report (CSV)' }).click();
  const report = readFileSync((await (await download).path()) ?? '', 'utf8');
  expect(report).toMatch(/B313240920101,Nave left,done/);
  expect(report).toMatch(/B313240920102,Nave right,failed/);
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await page.goto('/#/devices/all');
  await expect(page.getByRole('row', { name: /Nave right/ })).toContainText('The last upgrade failed');
});

test('a lower version is installed only after the loss of settings is accepted', async ({ page, hub }) => {
  const device = await encoder(hub, 'Nave left', 'B313240920101');
  await addFirmware(hub, 'firmware-787-0-B-2.3.9.mwf', image('2.3.9'));
  await page.goto('/#/devices/all');
  await expect(page.getByRole('row', { name: /Nave left/ })).toContainText('Online');
  await page.getByRole('button', { name: 'More actions for Nave left' }).click();
  await page.getByRole('menuitem', { name: 'Upgrade firmware' }).click();
  const dialog = dialogOf(page);
  await expect(dialog.getByText('Has a higher version')).toBeVisible();
  await dialog.getByLabel('Include devices that already have this version or a higher one').check();
  const start = dialog.getByRole('button', { name: 'Upgrade 1 device' });
  await expect(dialog.getByText('Settings may be lost')).toBeVisible();
  await expect(start).toBeDisabled();
  await dialog.getByLabel('I accept that these devices may lose their settings').check();
  await start.click();
  await expect(dialog.getByText('1 device upgraded')).toBeVisible({ timeout: 60_000 });
  expect(device.firmware.version).toBe('2.3.9');
});
