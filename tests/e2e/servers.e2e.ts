import type { Page } from '@playwright/test';
import { expect, test } from './console-test.ts';

const rows = (page: Page) => page.getByRole('table', { name: 'Destinations' }).getByRole('row');

test('a server is added, a duplicate is refused, and an output of a channel is made from it', async ({
  page,
  stage,
}) => {
  const channel = await stage.channel('Sends to a server');
  const name = `CDN ${channel.id}`;
  const key = `key-${channel.id}`;
  await page.goto('/#/stream/server?dialog=add');
  const dialog = page.getByRole('dialog', { name: 'Add destination' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
  await dialog.getByRole('textbox', { name: 'Server' }).fill('rtmp://127.0.0.1:9/live');
  await dialog.getByRole('button', { name: 'Add destination' }).click();
  await expect(dialog.getByText('Required')).toBeVisible();
  await dialog.getByLabel('Main stream key', { exact: true }).fill(key);
  await expect(dialog.getByText('rtmp://127.0.0.1:9/live/••••••')).toBeVisible();
  await dialog.getByRole('button', { name: 'Add destination' }).click();
  await expect(rows(page).filter({ hasText: name })).toContainText('rtmp://127.0.0.1:9/live');
  await expect(rows(page).filter({ hasText: name })).not.toContainText(key);
  await expect(dialog).toHaveCount(0);

  await page.goto('/#/stream/server?dialog=add');
  await dialog.getByRole('textbox', { name: 'Name' }).fill(`${name} again`);
  await dialog.getByRole('textbox', { name: 'Server' }).fill('rtmp://127.0.0.1:9/live');
  await dialog.getByLabel('Main stream key', { exact: true }).fill(key);
  await dialog.getByRole('button', { name: 'Add destination' }).click();
  await expect(dialog.getByText('Another destination already has this')).toBeVisible();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Discard' }).click();

  await page.goto(`/#/stream/channel/detail/${channel.id}`);
  await page.getByRole('button', { name: 'From a destination' }).click();
  const from = page.getByRole('dialog', { name: 'Add output from a destination' });
  await from.getByRole('combobox', { name: 'Destination' }).selectOption({ label: name });
  await from.getByRole('textbox', { name: 'Name' }).fill(`To ${name}`);
  await from.getByRole('button', { name: 'Add output' }).click();
  await expect(page.getByRole('table', { name: 'Outputs of this channel' })).toContainText(`To ${name}`);
  await expect(from).toHaveCount(0);

  await page.goto('/#/stream/server');
  await page.getByRole('button', { name: `More actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page
    .getByRole('dialog', { name: `Delete destination “${name}”?` })
    .getByRole('button', { name: 'Delete destination' })
    .click();
  await expect(rows(page).filter({ hasText: name })).toHaveCount(0);
});

test('the form of a server has the fields of its type', async ({ page }) => {
  await page.goto('/#/stream/server?dialog=add');
  const dialog = page.getByRole('dialog', { name: 'Add destination' });
  await dialog.getByText('SRT listener', { exact: true }).click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Receivers');
  await dialog.getByRole('textbox', { name: 'Port' }).fill('9321');
  await expect(dialog.getByRole('textbox', { name: 'Max. receivers' })).toHaveValue('30');
  await expect(dialog.getByText('srt://0.0.0.0:9321?mode=listener&latency=120')).toBeVisible();
  await dialog.getByText('SRT caller', { exact: true }).click();
  await expect(dialog.getByRole('textbox', { name: 'Max. receivers' })).toHaveCount(0);
  await dialog.getByRole('button', { name: 'Add destination' }).click();
  await expect(dialog.getByRole('textbox', { name: 'Host' })).toHaveAttribute('aria-invalid', 'true');
});
