import type { Locator, Page } from '@playwright/test';
import { expect, test } from './console-test.ts';

const table = (page: Page) => page.getByRole('table', { name: 'Channels' });
const row = (page: Page, name: string) => table(page).getByRole('row').filter({ hasText: name });

test('a channel is added with the form, which first shows what is wrong', async ({ page, stage }) => {
  stage.adopt('Harbour camera');
  await page.goto('/#/stream/channels');
  await page.getByRole('button', { name: 'Add channel' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Add channel' });
  await expect(dialog.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await expect(page).toHaveURL(/dialog=add/);

  await dialog.getByRole('textbox', { name: 'Name' }).fill('Harbour/camera');
  await dialog.getByRole('textbox', { name: 'Push key' }).fill('same-key');
  await dialog.getByRole('textbox', { name: 'Play key' }).fill('same-key');
  await dialog.getByRole('button', { name: 'Add channel' }).click();
  await expect(dialog.getByText(/“\/” isn't allowed\. Use /)).toBeVisible();
  await expect(dialog.getByText('The push key and the play key must differ')).toBeVisible();
  await expect(dialog.getByRole('textbox', { name: 'Name' })).toHaveAttribute('aria-invalid', 'true');

  await dialog.getByRole('textbox', { name: 'Name' }).fill('Harbour camera');
  await dialog.getByRole('textbox', { name: 'Push key' }).fill('');
  await dialog.getByRole('textbox', { name: 'Play key' }).fill('');
  await dialog.getByRole('button', { name: 'Add channel' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText('“Harbour camera” was added.')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Harbour camera', level: 1 })).toBeVisible();
  await page.goBack();
  await expect(row(page, 'Harbour camera')).toContainText(/Waiting|Stopped/);
  await expect(page).not.toHaveURL(/dialog/);
});

test('a rule that only the hub can check is shown at its field', async ({ page, stage, faults }) => {
  const other = await stage.channel('Holder of a key');
  const key = other.pushUrl.split('/').at(-1) ?? '';
  faults.expect(/\b4\d\d\b.*\/api\/channel\/add/);
  await page.goto('/#/stream/channels?dialog=add');
  const dialog = page.getByRole('dialog', { name: 'Add channel' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Second of that key');
  await dialog.getByRole('textbox', { name: 'Push key' }).fill(key);
  await dialog.getByRole('button', { name: 'Add channel' }).click();
  await expect(dialog.getByRole('textbox', { name: 'Push key' })).toHaveAttribute('aria-invalid', 'true');
  await expect(dialog.getByText(/already (used|in use)/i)).toBeVisible();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Discard' }).click();
  await expect(dialog).toHaveCount(0);
});

test('a channel is renamed in place', async ({ page, stage }) => {
  const channel = await stage.channel('Old name');
  stage.adopt('New name (b)');
  await page.goto('/#/stream/channels');
  await page.getByRole('button', { name: `More actions for ${channel.name}` }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  const dialog = page.getByRole('dialog', { name: `Edit “${channel.name}”` });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('New name (b)');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(row(page, 'New name (b)')).toBeVisible();
  await expect(row(page, channel.name)).toHaveCount(0);
});

test('search, order and choice of columns survive a reload', async ({ page, stage }) => {
  const first = await stage.channel('Quay south');
  const second = await stage.channel('Quay north');
  const third = await stage.channel('Elsewhere');
  await page.goto('/#/stream/channels');
  await expect(row(page, third.name)).toBeVisible();
  await page.getByRole('searchbox', { name: 'Search' }).fill('quay');
  await expect(row(page, third.name)).toHaveCount(0);
  await page.getByRole('button', { name: 'Name', exact: true }).click();
  const names = () => table(page).getByRole('link');
  await expect(names()).toHaveText([second.name, first.name]);

  await page.getByRole('button', { name: 'Columns' }).click();
  const chooser = page.getByRole('dialog', { name: 'Columns' });
  await chooser.getByRole('checkbox', { name: 'Video' }).check();
  await chooser.getByRole('checkbox', { name: 'Players' }).uncheck();
  await expect(chooser.getByRole('checkbox', { name: 'Name' })).toBeDisabled();
  await page.keyboard.press('Escape');
  await expect(chooser).toBeHidden();

  await page.reload();
  await expect(page.getByRole('searchbox', { name: 'Search' })).toHaveValue('quay');
  await expect(names()).toHaveText([second.name, first.name]);
  const header = (name: string) => table(page).getByRole('columnheader', { name, exact: true });
  await expect(header('Name')).toHaveAttribute('aria-sort', 'ascending');
  await expect(header('Video')).toBeVisible();
  await expect(header('Players')).toHaveCount(0);

  await page.getByRole('searchbox', { name: 'Search' }).fill('nothing of that name');
  await expect(page.getByText('Nothing matches the search')).toBeVisible();
  await page.getByRole('button', { name: 'Clear the search' }).last().click();
  await expect(row(page, third.name)).toBeVisible();
});

test('a channel is stopped and started from its row', async ({ page, stage }) => {
  const channel = await stage.liveChannel('Switchable');
  await page.goto('/#/stream/channels');
  await expect(row(page, channel.name)).toContainText('Live');
  await page.getByRole('button', { name: `Stop ${channel.name}` }).click();
  // It is live: viewers would lose the stream, so it asks for confirmation.
  const confirm = page.getByRole('dialog', { name: `Stop “${channel.name}”?` });
  await confirm.getByRole('button', { name: 'Cancel' }).click();
  await expect(row(page, channel.name)).toContainText('Live');
  await page.getByRole('button', { name: `Stop ${channel.name}` }).click();
  await confirm.getByRole('button', { name: 'Stop channel' }).click();
  await expect(row(page, channel.name)).toContainText('Stopped');
  await page.getByRole('button', { name: `Start ${channel.name}` }).click();
  await expect(row(page, channel.name)).toContainText('Waiting');
});

test('a channel is deleted only after confirmation', async ({ page, stage }) => {
  const channel = await stage.channel('Short lived');
  await page.goto('/#/stream/channels');
  const open = async () => {
    await page.getByRole('button', { name: `More actions for ${channel.name}` }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
  };
  const confirm = page.getByRole('dialog', { name: `Delete “${channel.name}”?` });
  await open();
  await expect(confirm).toContainText('permanently deleted');
  await expect(confirm.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(confirm).toHaveCount(0);
  await expect(row(page, channel.name)).toBeVisible();
  await open();
  await confirm.getByRole('button', { name: 'Delete channel' }).click();
  await expect(page.getByText(`“${channel.name}” was deleted.`)).toBeVisible();
  await expect(row(page, channel.name)).toHaveCount(0);
});

test('channels are shown as cards with live pictures, which is remembered', async ({ page, stage }) => {
  const channel = await stage.liveChannel('On a card');
  await page.goto('/#/stream/channels');
  await expect(row(page, channel.name)).toContainText('Live');
  await page.getByRole('button', { name: 'Card view' }).click();
  await expect(table(page)).toHaveCount(0);
  await page.reload();
  const card = page.getByRole('list', { name: 'Channels' }).getByRole('listitem').filter({ hasText: channel.name });
  await expect(card).toContainText('Live');
  const picture = card.locator('img');
  await expect(picture).toBeVisible();
  expect((await picture.boundingBox())!.width).toBeGreaterThan(250);
  await page.getByRole('button', { name: 'List view' }).click();
  await expect(row(page, channel.name)).toBeVisible();
});

test('with forced colors a chosen state and the current page are told from the others', async ({ page, stage }) => {
  const channel = await stage.channel('High contrast');
  await stage.output(channel, 'Switchable', { type: 1, url: 'udp://127.0.0.1:9' });
  await page.emulateMedia({ forcedColors: 'active' });
  await page.goto('/#/stream/channels');
  await expect(row(page, channel.name)).toBeVisible();
  const fill = (locator: Locator) => locator.evaluate((element) => getComputedStyle(element).backgroundColor);
  const chip = (name: RegExp) => page.getByRole('group', { name: 'State' }).getByRole('button', { name });
  expect(await fill(chip(/^All/))).not.toBe(await fill(chip(/^Live/)));
  const menu = page.getByRole('navigation', { name: 'Main menu' });
  expect(await fill(menu.getByRole('link', { name: 'Channels' }))).not.toBe(
    await fill(menu.getByRole('link', { name: 'Inputs' })),
  );
  // Of the system, text and background of a choice fit each other.
  const pair = (locator: Locator) =>
    locator.evaluate((element) => {
      const { color, backgroundColor } = getComputedStyle(element);
      return { color, backgroundColor };
    });
  const system = await page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement('i'));
    probe.style.cssText = 'forced-color-adjust: none; color: HighlightText; background: Highlight';
    const { color, backgroundColor } = getComputedStyle(probe);
    probe.remove();
    return { color, backgroundColor };
  });
  expect(await pair(chip(/^All/))).toEqual(system);
  expect(await pair(page.getByRole('button', { name: 'List view' }))).toEqual(system);
  expect(await pair(menu.getByRole('link', { name: 'Channels' }))).toEqual(system);
  await row(page, channel.name).getByRole('link').click();
  const track = page.getByRole('switch', { name: 'Send to Switchable' }).locator('xpath=following-sibling::*[1]');
  expect(await fill(track)).not.toBe(await fill(page.locator('body')));
});

test('several channels are chosen, stopped and deleted, and the question says what is lost', async ({
  page,
  stage,
}) => {
  const live = await stage.liveChannel('Bulk');
  const others = [await stage.channel('Bulk'), await stage.channel('Bulk')];
  const last = others[1]!;
  await page.goto('/#/stream/channels?q=bulk');
  await expect(row(page, live.name)).toContainText('Live');
  const bar = page.getByRole('region', { name: 'Selection' });
  await expect(bar).toHaveCount(0);
  await page.getByRole('checkbox', { name: `Select ${live.name}` }).press('Space');
  await expect(bar).toContainText('1 selected');
  await page.getByRole('checkbox', { name: `Select ${last.name}` }).click({ modifiers: ['Shift'] });
  await expect(bar).toContainText('3 selected');
  await expect(bar.getByRole('button', { name: 'Start 0' })).toBeDisabled();

  await bar.getByRole('button', { name: 'Stop 3' }).click();
  const stop = page.getByRole('dialog', { name: 'Stop 3 channels?' });
  await expect(stop).toContainText('1 of them is on air. 0 outputs and 0 players will lose the stream.');
  await stop.getByRole('button', { name: 'Stop 3 channels' }).click();
  await expect(bar).toContainText('3 done');
  for (const { name } of [live, ...others]) await expect(row(page, name)).toContainText('Stopped');

  await page.getByRole('checkbox', { name: 'Select all 3' }).check();
  await bar.getByRole('button', { name: 'Delete 3' }).click();
  await page
    .getByRole('dialog', { name: 'Delete 3 channels?' })
    .getByRole('button', { name: 'Delete 3 channels' })
    .click();
  for (const { name } of [live, ...others]) await expect(row(page, name)).toHaveCount(0);
});

test('changes of another user are shown without a reload', async ({ page, stage, hub }) => {
  await page.goto('/#/stream/channels');
  await expect(page.getByRole('heading', { name: 'Channels', level: 1 })).toBeVisible();
  const channel = await stage.channel('From elsewhere');
  await expect(row(page, channel.name)).toContainText('Waiting');
  await hub.api('/api/channel/del', { id: channel.id });
  await expect(row(page, channel.name)).toHaveCount(0);
});

test('a message never covers the actions of a row', async ({ page, stage }) => {
  await page.setViewportSize({ width: 1280, height: 480 });
  const channels = [];
  for (let count = 0; count < 10; count++) channels.push(await stage.channel('Many'));
  const [first] = channels;
  await page.goto(`/#/stream/channels?dialog=edit&id=${first!.id}`);
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  const message = page.getByRole('region', { name: 'Messages' }).getByText(`“${first!.name}” was saved.`);
  await expect(message).toBeVisible();
  // In one step, because the message disappears after 4 s.
  const covered = await page.getByRole('button', { name: /^More actions for/ }).evaluateAll((acts) =>
    acts.flatMap((act) => {
      act.scrollIntoView({ block: 'nearest' });
      const { x, y, width, height } = act.getBoundingClientRect();
      const top = document.elementFromPoint(x + width / 2, y + height / 2);
      return act.contains(top) ? [] : [act.getAttribute('aria-label')];
    }),
  );
  expect(covered).toEqual([]);
  expect(await page.getByRole('button', { name: /^More actions for/ }).count()).toBeGreaterThanOrEqual(channels.length);
  await expect(message).toBeVisible();
});
