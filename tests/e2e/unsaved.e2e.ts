import { expect, test } from './console-test.ts';

test('no way out of a page with unsaved fields loses them without a question', async ({ page }) => {
  await page.goto('/#/dashboard');
  await page.getByRole('link', { name: 'General' }).click();
  const port = page.getByRole('form', { name: 'RTMP server' }).getByRole('textbox', { name: 'TCP port' });
  const before = await port.inputValue();
  await port.fill('2935');
  const question = page.getByRole('dialog', { name: 'Discard what you typed?' });
  const keep = question.getByRole('button', { name: 'Keep editing' });
  const heading = page.getByRole('heading', { name: 'General', exact: true });

  await page.getByRole('link', { name: 'Channels' }).click();
  await keep.click();
  await expect(heading).toBeVisible();
  await expect(port).toHaveValue('2935');

  await page.evaluate(() => history.back());
  await keep.click();
  await expect(page).toHaveURL(/#\/settings\/general$/);
  await expect(port).toHaveValue('2935');

  await page.evaluate(() => {
    location.hash = '/stream/outputs';
  });
  await keep.click();
  await expect(page).toHaveURL(/#\/settings\/general$/);
  await expect(port).toHaveValue('2935');

  // Closing the tab: the browser asks.
  const asked = page.waitForEvent('dialog');
  const closing = page.close({ runBeforeUnload: true });
  const browserQuestion = await asked;
  expect(browserQuestion.type()).toBe('beforeunload');
  await browserQuestion.dismiss();
  await closing;
  await expect(port).toHaveValue('2935');

  // Back goes where it would have gone.
  await page.evaluate(() => history.back());
  await question.getByRole('button', { name: 'Discard' }).click();
  await expect(page.getByRole('heading', { name: 'Dashboard' })).toBeVisible();
  await page.evaluate(() => history.forward());
  await expect(port).toHaveValue(before);
});

test('Back asks before it closes a dialog with typed text', async ({ page }) => {
  await page.goto('/#/stream/channels');
  await page.getByRole('button', { name: 'Add channel' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Add channel' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Half typed');
  await page.evaluate(() => history.back());
  const question = page.getByRole('dialog', { name: 'Discard what you typed?' });
  await question.getByRole('button', { name: 'Keep editing' }).click();
  await expect(dialog.getByRole('textbox', { name: 'Name' })).toHaveValue('Half typed');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await question.getByRole('button', { name: 'Discard' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page).toHaveURL(/#\/stream\/channels$/);
});
