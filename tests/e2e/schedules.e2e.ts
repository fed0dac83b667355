import { type ServedDevice, serveDevice } from '../sim/devices/serve.ts';
import { UsapiDevice } from '../sim/devices/usapi.ts';
import { axeFaults } from './axe.ts';
import { expect, test } from './console-test.ts';

test.use({ features: 'devices' });

const served: ServedDevice[] = [];
test.afterEach(async () => {
  for (const one of served.splice(0)) await one.close();
});

test('a schedule is added for several devices, changed, disabled and deleted', async ({ page, hub }) => {
  for (const [sn, name] of [
    ['B313240920161', 'Nave left'],
    ['B313240920162', 'Nave right'],
  ] as const) {
    const one = serveDevice(new UsapiDevice({ kind: 'encode', sn, name }));
    served.push(one);
    const { host, port } = one.address;
    await hub.api('/api/device/add', { address: `${host}:${port}`, user: 'Admin', password: 'Admin' });
  }
  await page.goto('/#/schedules');
  await expect(page.getByText('No schedules yet')).toBeVisible();
  await page.getByRole('button', { name: 'Add schedule' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Add schedule' });
  await dialog.getByLabel('Name').fill('Sunday service');
  await dialog.getByRole('button', { name: 'Add schedule' }).click();
  await expect(dialog.getByText('Required').first()).toBeVisible();
  await dialog.getByLabel('Start at').fill('22:00');
  await dialog.getByLabel('Stop at').fill('01:30');
  await expect(dialog.getByText('On the next day.')).toBeVisible();
  for (const day of ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Sunday']) {
    await dialog.getByLabel(day).click();
  }
  await dialog.getByLabel('Search devices').fill('right');
  await dialog.getByLabel(/Nave right/).check();
  // The hub may have devices of other tests.
  await dialog.getByLabel('Search devices').fill('B31324092016');
  await expect(dialog.getByText('Devices: 1 chosen')).toBeVisible();
  await dialog.getByRole('button', { name: 'Select all shown' }).click();
  expect(await axeFaults(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Add schedule' }).click();

  const row = page.getByRole('row', { name: /Sunday service/ });
  await expect(row.getByText('22:00 – 01:30 (next day)')).toBeVisible();
  await expect(row.getByText(/^Sun\b.*22:00$/)).toBeVisible();
  expect(await axeFaults(page)).toEqual([]);

  const act = async (name: string) => {
    await row.getByRole('button', { name: 'More actions for Sunday service' }).click();
    await page.getByRole('menuitem', { name, exact: true }).click();
  };
  await act('Edit');
  const edit = page.getByRole('dialog', { name: 'Edit schedule “Sunday service”' });
  await expect(edit.getByText('Devices: 2 chosen')).toBeVisible();
  await edit.getByText('Once', { exact: true }).click();
  await edit.getByLabel('Date').fill('2030-12-31');
  await edit.getByLabel('Action').selectOption('Live stream');
  await edit.getByRole('button', { name: 'Save' }).click();
  await expect(row.getByText('Live stream')).toBeVisible();
  await expect(row.getByText('31 Dec 2030', { exact: true })).toBeVisible();
  await act('Disable');
  await expect(row.getByText('Off')).toBeVisible();
  await act('Delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete schedule' }).click();
  await expect(page.getByText('No schedules yet')).toBeVisible();
});
