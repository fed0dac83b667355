import { leasePort } from '../support/ports.ts';
import { signInByKeys, tabTo } from './by-keys.ts';
import { expect, test } from './console-test.ts';
import { notSignedIn } from './page-faults.ts';
import { encode } from './stage.ts';

test.describe('before sign-in', () => {
  test.use({ account: 'nobody' });

  test('signing in and adding a channel work without a mouse', async ({ page, stage, faults }) => {
    faults.expect(notSignedIn);
    stage.adopt('By keyboard');
    await signInByKeys(page, '/login?return_url=/stream/channels', 'Channels');

    await tabTo(page, 'button', 'Add channel');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Add channel' });
    await expect(dialog.getByRole('textbox', { name: 'Name' })).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'Add channel' }).first()).toBeFocused();

    await page.keyboard.press('Enter');
    await expect(dialog.getByRole('textbox', { name: 'Name' })).toBeFocused();
    await page.keyboard.type('By keyboard');
    await page.keyboard.press('Enter');
    await expect(dialog).toHaveCount(0);
    await expect(page.getByRole('heading', { name: 'By keyboard', level: 1 })).toBeFocused();
  });
});

test.describe('before sign-in, on the way to a backup input', () => {
  test.use({ account: 'nobody' });

  test('from sign-in to a channel with a backup input with the keyboard alone', async ({
    page,
    stage,
    hub,
    faults,
  }) => {
    faults.expect(notSignedIn);
    const { keyboard } = page;
    const [name, spare] = ['Keys only', 'Spare by keys'];
    stage.adopt(name);
    await signInByKeys(page);

    const goTo = async (words: string, option: string) => {
      await keyboard.press('Control+k');
      await expect(page.getByRole('dialog', { name: 'Go to' }).getByRole('combobox')).toBeFocused();
      await keyboard.type(words);
      await expect(page.getByRole('option', { name: option, exact: true })).toHaveAttribute('aria-selected', 'true');
      await keyboard.press('Enter');
    };
    const dialog = page.getByRole('dialog');
    await goTo('add input', 'Add input');
    await expect(dialog.getByRole('textbox', { name: 'Name' })).toBeFocused();
    await keyboard.type(spare);
    await tabTo(page, 'textbox', 'Host');
    await keyboard.type('127.0.0.1');
    await tabTo(page, 'textbox', 'Port');
    await keyboard.type('9');
    await keyboard.press('Enter');
    await expect(dialog).toHaveCount(0);

    await goTo('add channel', 'Add channel');
    await expect(dialog.getByRole('textbox', { name: 'Name' })).toBeFocused();
    await keyboard.type(name);
    await keyboard.press('Enter');
    await expect(dialog).toHaveCount(0);

    // The page of the new channel.
    await expect(page.getByRole('heading', { name, level: 1 })).toBeFocused();
    await tabTo(page, 'button', 'Backup');
    await keyboard.press('Enter');
    const choice = dialog.getByRole('combobox', { name: 'Backup input' });
    await expect(choice).toBeFocused();
    // Typing the first letters selects, as in every list of a form.
    await keyboard.type(spare.slice(0, 5));
    await expect(choice.locator('option:checked')).toHaveText(spare);
    await tabTo(page, 'button', 'Save');
    await keyboard.press('Enter');
    await expect(dialog).toHaveCount(0);
    await expect(page.getByRole('region', { name: 'Backup', exact: true })).toContainText(spare);
    await expect(page.getByRole('button', { name: 'Backup', exact: true })).toBeFocused();

    const { list } = await hub.api<{ list: { id: number; name: string }[] }>('/api/input/source/list?count=1000');
    const made = list.filter((input) => input.name === spare).map(({ id }) => id);
    await hub.api('/api/input/source/del', { id: made, force: true });
  });
});

test('an output is added and switched off, the backup put on air and the channel stopped with the keyboard alone', async ({
  page,
  stage,
  hub,
}) => {
  const { keyboard } = page;
  const channel = await stage.channel('Operated by keys');
  const url = `udp://127.0.0.1:${leasePort()}`;
  const input = { name: `Spare of ${channel.name}`, config: { type: 1, url } };
  const { id } = await hub.api<{ id: number }>('/api/input/source/add', input);
  await hub.api('/api/channel/input/set', { id: channel.id, input: 0, backup: id });
  encode(`${url}?pkt_size=1316`);
  await stage.encodeAgain(channel);
  await page.goto(`/#/stream/channel/detail/${channel.id}`);
  await expect(page.getByRole('region', { name: 'Backup', exact: true })).toContainText('Running');

  await tabTo(page, 'button', 'Add output');
  await keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await keyboard.type('Output by keys');
  await tabTo(page, 'textbox', 'Server');
  await keyboard.type('rtmp://127.0.0.1:9/live');
  await tabTo(page, 'textbox', 'Stream key');
  await keyboard.type('some-key');
  await keyboard.press('Enter');
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Add output' })).toBeFocused();
  const added = page.getByRole('switch', { name: 'Send to Output by keys' });
  await tabTo(page, 'switch', 'Send to Output by keys');
  // An output of a channel that is on air is added without sending.
  await expect(added).not.toBeChecked();
  for (const state of [true, false]) {
    await keyboard.press('Space');
    await expect(added).toBeChecked({ checked: state });
  }

  await tabTo(page, 'button', 'Switch to backup');
  await keyboard.press('Enter');
  // A Tab before the question has the focus would move on in the page.
  await expect(dialog.locator(':focus')).toHaveCount(1);
  await tabTo(page, 'button', 'Switch');
  await keyboard.press('Enter');
  await expect(page.getByRole('region', { name: 'Backup', exact: true })).toContainText('On air');

  await tabTo(page, 'button', 'Stop');
  await keyboard.press('Enter');
  await expect(dialog.locator(':focus')).toHaveCount(1);
  await tabTo(page, 'button', 'Stop');
  await keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Start', exact: true })).toBeFocused();

  const { list } = await hub.api<{ list: { id: number; name: string }[] }>('/api/output/list?count=1000');
  for (const output of list) if (output.name === 'Output by keys') stage.adoptOutput(output.id);
  await hub.api('/api/channel/input/set', { id: channel.id, input: 0, backup: 0 });
  await hub.api('/api/input/source/del', { id });
});

test('the focus never leaves an open dialog', async ({ page }) => {
  await page.goto('/#/stream/channels?dialog=add');
  const dialog = page.getByRole('dialog', { name: 'Add channel' });
  await expect(dialog.getByRole('textbox', { name: 'Name' })).toBeFocused();
  for (let step = 0; step < 12; step++) {
    await page.keyboard.press('Tab');
    expect(await dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true);
  }
  // Tabbing through a field does not show that it is required.
  await expect(dialog.getByText('Required')).toHaveCount(0);
});

test('a menu works with arrow keys, and its dialog returns the focus to its button', async ({ page, stage }) => {
  const channel = await stage.channel('Menu by keys');
  await page.goto('/#/stream/channels');
  const more = page.getByRole('button', { name: `More actions for ${channel.name}` });
  await more.focus();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('menuitem', { name: 'Edit' })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('menuitem', { name: 'Duplicate' })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('menuitem', { name: 'Delete' })).toBeFocused();
  await page.keyboard.press('Enter');
  const confirm = page.getByRole('dialog', { name: `Delete “${channel.name}”?` });
  await expect(confirm.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(confirm).toHaveCount(0);
  await expect(more).toBeFocused();
});

test('the slash key focuses the search, and the skip link the content', async ({ page, stage }) => {
  await stage.channel('Sought');
  await page.goto('/#/stream/channels');
  await expect(page.getByRole('searchbox', { name: 'Search' })).toBeVisible();
  await page.keyboard.press('/');
  await expect(page.getByRole('searchbox', { name: 'Search' })).toBeFocused();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Channels', level: 1 })).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Skip to content' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Channels', level: 1 })).toBeFocused();
});

test('a refused form moves the focus to its first invalid field', async ({ page, stage }) => {
  const taken = await stage.channel('Taken');
  await page.goto('/#/stream/channels?dialog=add');
  const dialog = page.getByRole('dialog', { name: 'Add channel' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Good name');
  await dialog.getByRole('textbox', { name: 'Play key' }).fill('two words');
  await dialog.getByRole('button', { name: 'Add channel' }).click();
  await expect(dialog.getByRole('textbox', { name: 'Play key' })).toBeFocused();
  // Errors that only the hub can detect are treated the same way.
  await dialog.getByRole('textbox', { name: 'Play key' }).fill('');
  await dialog.getByRole('textbox', { name: 'Name' }).fill(taken.name);
  await dialog.getByRole('button', { name: 'Add channel' }).click();
  await expect(dialog.getByText('Already in use')).toBeVisible();
  await expect(dialog.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Discard' }).click();
  await expect(dialog).toHaveCount(0);

  await page.goto('/#/settings/general');
  const rtmp = page.getByRole('form', { name: 'RTMP server' });
  await rtmp.getByRole('textbox', { name: 'TCP port' }).fill('70000');
  await rtmp.getByRole('button', { name: 'Save' }).click();
  await expect(rtmp.getByRole('textbox', { name: 'TCP port' })).toBeFocused();
});

test('one key opens a field that finds every page and object', async ({ page, stage }) => {
  const channel = await stage.channel('Rooftop');
  await page.goto('/#/settings/general');
  const heading = (name: string) => page.getByRole('heading', { name, level: 1 });
  await expect(heading('General')).toBeVisible();
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Go to' });
  const field = palette.getByRole('combobox', { name: 'Search' });
  await expect(field).toBeFocused();
  await page.keyboard.type(channel.name);
  await expect(palette.getByRole('option', { name: channel.name, exact: true })).toHaveAttribute(
    'aria-selected',
    'true',
  );
  await page.keyboard.press('Enter');
  await expect(palette).toHaveCount(0);
  await expect(heading(channel.name)).toBeFocused();
  await page.goBack();
  await expect(heading('General')).toBeVisible();
  await expect(palette).toHaveCount(0);

  await page.keyboard.press('Control+k');
  await expect(field).toBeFocused();
  await page.keyboard.type('add');
  await expect(palette.getByRole('option', { name: 'Add channel' })).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('ArrowDown');
  await expect(palette.getByRole('option', { name: 'Add input' })).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Add input' }).getByRole('textbox', { name: 'Name' })).toBeFocused();
  // A dialog that may hold typed text is not covered.
  await page.keyboard.press('Control+k');
  await expect(palette).toHaveCount(0);
  await page.keyboard.press('Escape');

  const button = page.getByRole('button', { name: 'Go to' });
  await button.click();
  await palette.getByRole('combobox').fill('nothing of that kind');
  await expect(palette.getByText('Nothing matches the search')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(button).toBeFocused();
});

test('a channel is stopped from the palette after the question of its button, and a setting is found', async ({
  page,
  stage,
}) => {
  const channel = await stage.liveChannel('Harbor');
  await page.goto('/#/dashboard');
  await expect(page.getByRole('link', { name: channel.name }).first()).toBeVisible();
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Go to' });
  await palette.getByRole('combobox').fill(`stop ${channel.name}`);
  await page.keyboard.press('Enter');
  const confirm = page.getByRole('dialog', { name: `Stop “${channel.name}”?` });
  await confirm.getByRole('button', { name: 'Stop channel' }).click();
  await expect(confirm).toHaveCount(0);
  await channel.encoder.exited;

  await page.keyboard.press('Control+k');
  await palette.getByRole('combobox').fill('webhook');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('form', { name: 'Alarm webhook' })).toBeInViewport();
});
