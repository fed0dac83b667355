/** A channel that is offered as an NDI source, on a hub without the runtime. */
import { axeFaults } from './axe.ts';
import { expect, test } from './console-test.ts';

test.use({ features: 'ndi', meantFault: /NDI: libndi\.so\.6 is in none of/ });

test('a channel is offered as an NDI source, shows at once that the runtime is missing, and can be switched back', async ({
  page,
  stage,
}) => {
  const channel = await stage.channel('Offered');
  const open = async () => {
    await page.goto(`/#/stream/channel/detail/${channel.id}?dialog=edit`);
    return page.getByRole('dialog', { name: `Edit “${channel.name}”` });
  };
  let dialog = await open();
  await expect(dialog.getByRole('combobox', { name: 'Transport' })).toHaveCount(0);
  await dialog.getByRole('checkbox', { name: 'Offer it as an NDI source' }).check();
  await dialog.getByRole('combobox', { name: 'Transport' }).selectOption('Multicast');
  await dialog.getByRole('textbox', { name: 'Multicast address' }).fill('10.0.0.1');
  await dialog.getByRole('textbox', { name: 'Subnet mask' }).fill('255.0.255.0');
  await dialog.getByRole('button', { name: 'Save' }).click();
  for (const name of ['Multicast address', 'Subnet mask']) {
    await expect(dialog.getByRole('textbox', { name })).toHaveAttribute('aria-invalid', 'true');
  }
  expect(await axeFaults(page)).toEqual([]);
  await dialog.getByRole('textbox', { name: 'Multicast address' }).fill('239.9.0.0');
  await dialog.getByRole('textbox', { name: 'Subnet mask' }).fill('255.255.0.0');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText('The hub has no NDI runtime that it can use.')).toBeVisible();
  dialog = await open();
  await expect(dialog.getByRole('textbox', { name: 'Subnet mask' })).toHaveValue('255.255.0.0');
  await dialog.getByRole('checkbox', { name: 'Offer it as an NDI source' }).uncheck();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText('The hub has no NDI runtime that it can use.')).toHaveCount(0);
});
