/** The firmware library: files by button and by drop, what is asked about them, and uploads that continue. */
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { axeFaults } from './axe.ts';
import { expect, test } from './console-test.ts';
import { addFirmware, beginFirmware, clearFirmware, sendFirmware } from './firmware-scene.ts';

test.use({ features: 'devices' });
test.afterEach(({ hub }) => clearFirmware(hub));

const fileNamed = (name: string, text = name) => ({
  ...{ name, mimeType: 'application/octet-stream', buffer: Buffer.from(text) },
});
const row = (page: Page, text: string | RegExp) => page.getByRole('row').filter({ hasText: text });

async function choose(page: Page, ...files: ReturnType<typeof fileNamed>[]): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Upload firmware' }).first().click();
  await (await chooser).setFiles(files);
}

/** Drops a file on the page, as a file manager does. */
async function drop(page: Page, name: string, text: string): Promise<void> {
  const data = await page.evaluateHandle(
    ([as, content]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([content ?? ''], as ?? ''));
      return transfer;
    },
    [name, text],
  );
  const main = page.getByRole('heading', { name: 'Firmware', level: 1 });
  await main.dispatchEvent('dragover', { dataTransfer: data });
  await expect(page.getByText('Drop the firmware files here')).toBeVisible();
  await main.dispatchEvent('drop', { dataTransfer: data });
}

test('files are uploaded one after another, downloaded with their published names, and deleted', async ({ page }) => {
  await page.goto('/#/settings/firmware');
  await expect(page.getByText('No firmware files yet')).toBeVisible();
  await choose(
    page,
    fileNamed('firmware-787-0-B-2.4.288.mwf'),
    fileNamed('firmware-770-0-A-1.5.79.mwf'),
    fileNamed('notes.txt'),
  );
  await expect(page.getByText('“notes.txt” is not a firmware file (.mwf).')).toBeVisible();
  await expect(row(page, '2.4.288')).toContainText('Ultra Encode');
  await expect(row(page, '1.5.79')).toContainText('Available');
  expect(await axeFaults(page)).toEqual([]);

  await page.getByRole('button', { name: 'More actions for firmware-787-0-B-2.4.288.mwf' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Download' }).click();
  expect((await download).suggestedFilename()).toBe('firmware-787-0-B-2.4.288.mwf');
  expect(readFileSync((await (await download).path()) ?? '', 'utf8')).toBe('firmware-787-0-B-2.4.288.mwf');

  await page.getByRole('button', { name: 'More actions for firmware-787-0-B-2.4.288.mwf' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete file' }).click();
  await expect(row(page, '2.4.288')).toHaveCount(0);
  await expect(row(page, '1.5.79')).toBeVisible();
});

test('a dropped file is asked for what its name does not say, and a pre-release for its declaration', async ({
  page,
  hub,
}) => {
  // With a device of other tests, the hub would know the product.
  const { list } = await hub.api<{ list: { sn: string }[] }>('/api/device/list');
  if (list.length > 0) await hub.api('/api/device/del', { sn: list.map(({ sn }) => sn) });
  await addFirmware(hub, 'firmware-787-0-B-2.4.288.mwf', 'one');
  await page.goto('/#/settings/firmware');
  await expect(row(page, '2.4.288')).toBeVisible();
  await drop(page, 'encoder_rev_b_2_5_1.mwf', 'two');
  const dialog = page.getByRole('dialog', { name: 'Upload firmware' });
  await dialog.getByRole('button', { name: 'Upload' }).click();
  await expect(dialog.getByText('Required')).toBeVisible();
  await dialog.getByLabel('Product ID').fill('787');
  await dialog.getByLabel('This is a pre-release or a test build').check();
  await dialog.getByRole('button', { name: 'Upload' }).click();
  await expect(dialog.getByText('Accept the declaration first')).toBeVisible();
  expect(await axeFaults(page)).toEqual([]);
  await dialog.getByLabel(/^I have read this/).check();
  await dialog.getByRole('button', { name: 'Upload' }).click();
  await expect(row(page, '2.5.1')).toContainText('Pre-release');

  // The same version with another content replaces; the same content does not.
  await choose(page, fileNamed('firmware-787-0-B-2.4.288.mwf', 'three'));
  await expect(dialog.getByText('Replace the file of this version?')).toBeVisible();
  await dialog.getByRole('button', { name: 'Replace' }).click();
  await expect(page.getByText('“Upload firmware: firmware-787-0-B-2.4.288.mwf” is done.')).toBeVisible();
  await choose(page, fileNamed('firmware-787-0-B-9.9.9.mwf', 'three'));
  const panel = page.getByRole('region', { name: 'Uploads' });
  await expect(panel.getByText('“firmware-787-0-B-2.4.288.mwf” already exists.')).toBeVisible();
  await panel.getByRole('button', { name: /^Remove / }).click();
  await expect(panel).toHaveCount(0);
});

test('an upload that was interrupted by a reload continues with the same file, or is canceled', async ({
  page,
  hub,
}) => {
  const text = 'a'.repeat(5000);
  const name = 'firmware-770-0-A-1.5.80.mwf';
  const task = await beginFirmware(hub, name, text.length);
  await sendFirmware(hub, task, text.slice(0, 2000), text.length);
  await beginFirmware(hub, 'firmware-770-0-A-1.5.81.mwf', 10);
  await page.goto('/#/settings/firmware');
  const panel = page.getByRole('region', { name: 'Uploads' });
  await expect(panel.getByRole('progressbar', { name })).toHaveAttribute('value', '2000');
  const pick = async (file: ReturnType<typeof fileNamed>) => {
    const chooser = page.waitForEvent('filechooser');
    await panel.getByRole('button', { name: `Continue with ${name}` }).click();
    await (await chooser).setFiles([file]);
  };
  await pick(fileNamed(name, 'other'));
  await expect(page.getByText(/^This is a different file\./)).toBeVisible();
  await pick(fileNamed(name, text));
  await expect(row(page, '1.5.80')).toContainText('5.00 kB');
  await panel.getByRole('button', { name: 'Cancel the upload of firmware-770-0-A-1.5.81.mwf' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel upload' }).click();
  await expect(panel).toHaveCount(0);
});

test.describe('a viewer', () => {
  test.use({ account: 'viewer' });
  test('sees and downloads files, and changes nothing', async ({ page, hub }) => {
    await addFirmware(hub, 'firmware-787-0-B-2.4.288.mwf', 'one');
    await page.goto('/#/dashboard');
    await page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: 'Firmware' }).click();
    await expect(row(page, '2.4.288')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Upload firmware' })).toHaveCount(0);
    await page.getByRole('button', { name: 'More actions for firmware-787-0-B-2.4.288.mwf' }).click();
    await expect(page.getByRole('menuitem')).toHaveText(['Details', 'Download']);
    await page.getByRole('menuitem', { name: 'Details' }).click();
    await expect(page.getByRole('dialog', { name: 'firmware-787-0-B-2.4.288.mwf' })).toContainText('Hardware version');
    expect(await axeFaults(page)).toEqual([]);
  });
});
