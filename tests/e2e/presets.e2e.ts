import { leasePort } from '../support/ports.ts';
import { expect, test } from './console-test.ts';

test('an output is saved as a preset, replaced after confirmation, and used for another output', async ({
  page,
  stage,
}) => {
  const channel = await stage.channel('With a preset');
  const [first, second] = [leasePort(), leasePort()];
  const config = (port: number) => ({ type: 1, url: `udp://127.0.0.1:${port}` });
  await stage.output(channel, `First ${first}`, config(first));
  await stage.output(channel, `Second ${second}`, config(second));
  const preset = `Kept ${first}`;
  const save = async (name: string) => {
    await page.goto('/#/stream/output');
    await page.getByRole('button', { name: `More actions for ${name}` }).click();
    await page.getByRole('menuitem', { name: 'Save as preset' }).click();
    const dialog = page.getByRole('dialog', { name: `Save “${name}” as a preset` });
    await dialog.getByRole('textbox', { name: 'Name of the preset' }).fill(preset);
    await dialog.getByRole('button', { name: 'Save preset' }).click();
    return dialog;
  };
  await expect(await save(`First ${first}`)).toHaveCount(0);
  const again = await save(`Second ${second}`);
  await expect(again.getByRole('alert')).toContainText('already exists');
  await again.getByRole('button', { name: 'Replace preset' }).click();
  await expect(again).toHaveCount(0);

  await page.getByRole('button', { name: 'From a preset' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add output from a preset' });
  await dialog.getByRole('combobox', { name: 'Preset' }).selectOption({ label: preset });
  await expect(dialog).toContainText(`udp://127.0.0.1:${second}`);
  await dialog.getByRole('textbox', { name: 'Name' }).fill(`Third ${second}`);
  await dialog.getByRole('button', { name: 'Add output' }).click();
  const rows = page.getByRole('table', { name: 'Outputs' }).getByRole('row');
  await expect(rows.filter({ hasText: `Third ${second}` })).toContainText(`udp://127.0.0.1:${second}`);
});
