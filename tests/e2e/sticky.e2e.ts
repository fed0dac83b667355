/** Heads and feet that stay in view while what is between them scrolls. */
import { paths } from '../../web/src/lib/paths.ts';
import { expect, test } from './console-test.ts';

test('the head of a long list, the bar of selected rows and the foot of a long dialog stay in view', async ({
  page,
  stage,
}) => {
  await page.setViewportSize({ width: 1280, height: 560 });
  const names: string[] = [];
  for (let i = 0; i < 24; i++) names.push((await stage.channel('Long list')).name);
  await page.goto(`/#${paths.channels}`);
  const rowOf = (name = '') => page.getByRole('row').filter({ hasText: new RegExp(`${name}(?!\\d)`) });
  const head = page.getByRole('columnheader', { name: 'Name' });
  await expect(rowOf(names.at(-1))).toBeAttached();
  await rowOf(names.at(-1)).scrollIntoViewIfNeeded();
  await expect(rowOf(names.at(-1))).toBeInViewport();
  await expect(rowOf(names[0])).not.toBeInViewport();
  await expect(head).toBeInViewport({ ratio: 1 });
  // Not behind a row.
  await head.click({ trial: true });

  await rowOf(names.at(-1)).getByRole('checkbox').check();
  await rowOf(names[0]).scrollIntoViewIfNeeded();
  await expect(rowOf(names.at(-1))).not.toBeInViewport();
  const bar = page.getByRole('button', { name: 'Delete' }).last();
  await expect(bar).toBeInViewport({ ratio: 1 });
  await bar.click({ trial: true });

  await page.setViewportSize({ width: 1280, height: 420 });
  await page.goto(`/#${paths.channels}?dialog=add`);
  const dialog = page.getByRole('dialog');
  const save = dialog.locator('button[type="submit"]');
  const first = dialog.getByRole('textbox').first();
  await expect(first).toBeInViewport();
  await expect(dialog.locator('input, select').last()).not.toBeInViewport();
  await expect(save).toBeInViewport({ ratio: 1 });
  await save.click({ trial: true });
});
