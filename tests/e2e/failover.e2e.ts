import { writeFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { pngOf } from '../fixtures/pictures.ts';
import { leasePort } from '../support/ports.ts';
import { axeFaults } from './axe.ts';
import { expect, test } from './console-test.ts';
import { encode } from './stage.ts';

const panelOf = (page: Page) => page.getByRole('region', { name: 'Input', exact: true });

test('a backup is chosen, takes over when the encoder dies, and the operator switches back', async ({
  page,
  stage,
  hub,
}, testInfo) => {
  const channel = await stage.channel('With a backup');
  const port = leasePort();
  const spare = `Spare ${port}`;
  const config = { type: 1, url: `udp://127.0.0.1:${port}` };
  const { id } = await hub.api<{ id: number }>('/api/input/source/add', { name: spare, config });
  encode(`udp://127.0.0.1:${port}?pkt_size=1316`);
  await page.goto(`/#/stream/channel/detail/${channel.id}`);
  await panelOf(page).getByRole('button', { name: 'Backup' }).click();
  const dialog = page.getByRole('dialog', { name: `Backup and failover of “${channel.name}”` });
  await dialog.getByRole('combobox', { name: 'Backup input' }).selectOption({ label: spare });
  await dialog.getByRole('combobox', { name: 'Back to the main input' }).selectOption('hand');
  await dialog.getByText('When an input counts as lost').click();
  await dialog.getByRole('textbox', { name: 'No data for' }).fill('99');
  await dialog.getByRole('combobox', { name: 'If both inputs are lost' }).selectOption('picture');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByRole('textbox', { name: 'No data for' })).toHaveAttribute('aria-invalid', 'true');
  await expect(dialog.getByRole('combobox', { name: 'If both inputs are lost' })).toHaveAttribute(
    'aria-invalid',
    'true',
  );
  await dialog.getByRole('textbox', { name: 'No data for' }).fill('500');
  const file = testInfo.outputPath('slate.png');
  await writeFile(file, pngOf(320, 180));
  await dialog.getByLabel('Picture file').setInputFiles(file);
  await expect(dialog.getByRole('img', { name: 'Slate' })).toBeVisible();
  expect(await axeFaults(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);

  const encoder = await stage.encodeAgain(channel);
  const main = page.getByRole('region', { name: 'Main input' });
  const backup = page.getByRole('region', { name: 'Backup', exact: true });
  await expect(main).toContainText('On air', { timeout: 20_000 });
  await expect(backup).toContainText('Running', { timeout: 20_000 });
  await expect(backup).toContainText('320×180');
  // The backup has a picture, too, although it is not on air.
  await expect(backup.getByRole('img', { name: 'Picture of the backup' })).toBeVisible({ timeout: 20_000 });
  await expect(main.getByRole('img', { name: 'Picture of the main input' })).toBeVisible();
  expect(await axeFaults(page)).toEqual([]);
  await panelOf(page).getByRole('button', { name: 'Backup', exact: true }).click();
  await expect(dialog.getByRole('img', { name: 'Slate' })).toBeVisible();
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  await encoder.stop();
  await expect(backup).toContainText('On air');
  await expect(main).toContainText('No signal');
  await expect(main.getByRole('img')).toHaveCount(0);
  await expect(panelOf(page)).toContainText('Backup on air');
  await expect(panelOf(page)).toContainText(/Last switch .*(Main disconnected|Main had no data)/);
  await expect(page.getByRole('region', { name: 'Alarms', exact: true })).toContainText('Backup on air');
  await page.goto('/#/stream/channels');
  const row = page.getByRole('row').filter({ hasText: channel.name });
  await expect(row).toContainText('Backup');
  expect(await axeFaults(page)).toEqual([]);
  await page.goto(`/#/stream/channel/detail/${channel.id}`);

  encode(channel.pushUrl);
  await expect(panelOf(page)).toContainText('Main input has recovered', { timeout: 20_000 });
  await main.getByRole('button', { name: 'Switch to main input' }).click();
  const confirm = page.getByRole('dialog', { name: 'Switch to main input?' });
  await confirm.getByRole('button', { name: 'Switch' }).click();
  await expect(main).toContainText('On air');
  await expect(panelOf(page)).toContainText('Switched manually');
  const history = page.getByRole('region', { name: 'Run history', exact: true });
  await expect(history).toContainText('Switched manually by Admin');
  await expect(history).toContainText(/Main (disconnected|had no data for 500 ms)/);

  await panelOf(page).getByRole('button', { name: 'Backup', exact: true }).click();
  await dialog.getByRole('combobox', { name: 'Backup input' }).selectOption('0');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(main).toHaveCount(0);
  // The push key is the channel's own again, so the encoder must reconnect.
  await stage.encodeAgain(channel);
  await expect(panelOf(page)).toContainText('Running');
  await hub.api('/api/input/source/del', { id });
});
