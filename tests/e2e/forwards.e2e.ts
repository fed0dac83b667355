import { type ServedDevice, serveDevice } from '../sim/devices/serve.ts';
import { UsapiDevice } from '../sim/devices/usapi.ts';
import { axeFaults } from './axe.ts';
import { expect, test } from './console-test.ts';

test.use({ features: 'devices' });

let served: ServedDevice | undefined;
test.afterEach(() => served?.close());

test('a port forward is added, carries a page of the device, and is stopped', async ({ page, hub }) => {
  served = serveDevice(new UsapiDevice({ kind: 'encode', sn: 'B313240920131', name: 'Nave left' }));
  const { host, port } = served.address;
  await hub.api('/api/device/add', { address: `${host}:${port}`, user: 'Admin', password: 'Admin' });
  await page.goto('/#/portforward');
  await expect(page.getByText('No port forwards yet')).toBeVisible();
  await page.getByRole('button', { name: 'Add port forward' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Add port forward' });
  await dialog.getByLabel('Device', { exact: true }).selectOption({ label: 'Nave left (B313240920131)' });
  const devicePort = dialog.getByLabel('Device port');
  await devicePort.fill('23');
  // While it is typed.
  await expect(dialog.getByText('This port of the device is not allowed; an administrator can add it')).toBeVisible();
  await devicePort.fill('80');
  const hubPort = dialog.getByLabel('Hub port');
  await hubPort.fill(String(hub.ports.rtmp));
  await expect(dialog.getByText('This port is already in use')).toBeVisible();
  await hubPort.fill('');
  expect(await axeFaults(page)).toEqual([]);
  await dialog.getByLabel('Name (optional)').fill('Web page');
  await dialog.getByRole('button', { name: 'Add and start' }).click();

  const row = page.getByRole('row', { name: /Web page/ });
  await expect(row.getByText('Connected')).toBeVisible();
  const place = await row.getByText(/^127\.0\.0\.1:\d+$/).textContent();
  const answer = await fetch(`http://${place}/usapi?method=ping`);
  expect(answer.status).toBe(200);
  await answer.arrayBuffer();
  await expect(row.getByText(/\(1 in total\)/)).toBeVisible();
  expect(await axeFaults(page)).toEqual([]);

  await row.getByRole('button', { name: 'Stop Web page' }).click();
  await expect(row.getByText('Stopped')).toBeVisible();
  await row.getByRole('link', { name: 'Nave left' }).click();
  await page.getByText('Network', { exact: true }).click();
  const panel = page.getByRole('region', { name: 'Port forwarding' });
  await expect(panel.getByRole('row', { name: /Web page/ })).toBeVisible();
  await panel.getByRole('button', { name: 'Allowed ports' }).click();
  const ports = page.getByRole('dialog', { name: 'Allowed ports of “Nave left”' });
  await ports.getByLabel('Additional ports').fill('8554');
  await ports.getByRole('button', { name: 'Save' }).click();
  await panel.getByRole('button', { name: 'Add port forward' }).click();
  await expect(page.getByRole('dialog').getByText('Allowed: 22, 80, 443, 554, 8080, 8554')).toBeVisible();
});
