import { leasePort } from '../support/ports.ts';
import { axeFaults } from './axe.ts';
import { expect, test } from './console-test.ts';
import { encode } from './stage.ts';

test('a source is tested in its form before it is saved, and a missing part is shown with the remedy', async ({
  page,
}) => {
  const port = leasePort();
  await page.goto('/#/stream/input?dialog=add');
  const dialog = page.getByRole('dialog', { name: 'Add input' });
  const begin = dialog.getByRole('button', { name: 'Test this source' });
  const status = dialog.getByRole('status');
  await begin.click();
  await expect(dialog.getByRole('textbox', { name: 'Host' })).toBeFocused();
  await expect(dialog.getByRole('textbox', { name: 'Host' })).toHaveAttribute('aria-invalid', 'true');
  await expect(dialog.getByRole('textbox', { name: 'Name' })).not.toHaveAttribute('aria-invalid', 'true');

  await dialog.getByRole('textbox', { name: 'Host' }).fill('no-such-host.invalid');
  await dialog.getByRole('textbox', { name: 'Port' }).fill(String(port));
  await begin.click();
  await expect(status).toContainText('Name not found');
  await expect(status).toContainText('Check the spelling of the host name');
  expect(await axeFaults(page)).toEqual([]);

  await dialog.getByRole('textbox', { name: 'Host' }).fill('127.0.0.1');
  await expect(status).not.toBeVisible();
  encode(`srt://127.0.0.1:${port}?mode=listener&pkt_size=1316`);
  await begin.click();
  await expect(status).toContainText('Receiving', { timeout: 15_000 });
  await expect(status).toContainText('320×180 · 25 fps · H.264');
  await expect(status).toContainText('AAC · 48 kHz · 2 ch');
  expect(await axeFaults(page)).toEqual([]);
});

test('a stored input is tested from its row; a long test can be canceled', async ({ page, hub }) => {
  const name = `Silent ${leasePort()}`;
  const config = { type: 1, url: `udp://127.0.0.1:${leasePort()}` };
  await hub.api('/api/input/source/add', { name, config });
  await page.goto('/#/stream/input');
  await page.getByRole('button', { name: `More actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Test' }).click();
  const dialog = page.getByRole('dialog', { name: `Test “${name}”` });
  await expect(dialog.getByRole('status')).toContainText('The hub opens the source');
  expect(await axeFaults(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Cancel test' }).click();
  await expect(dialog.getByRole('status')).not.toBeVisible();
  await dialog.getByRole('button', { name: 'Test', exact: true }).click();
  await expect(dialog.getByRole('status')).toContainText('nothing has arrived yet', { timeout: 15_000 });
  await expect(dialog.getByRole('status')).toContainText('firewall');
});
