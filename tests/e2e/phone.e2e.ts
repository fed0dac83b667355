import { expect, test } from './console-test.ts';

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

/** Names of the visible controls that are too low for a finger. */
function lowControls(): string[] {
  const controls = 'button, select, input:not([type="checkbox"], [type="radio"]), .mantine-Checkbox-label';
  return [...document.querySelectorAll<HTMLElement>(controls)]
    .filter((control) => control.checkVisibility({ visibilityProperty: true }))
    .filter((control) => control.offsetWidth > 1 && control.offsetHeight < 40)
    .map((control) => control.getAttribute('aria-label') ?? control.textContent);
}

test('on a phone the menu is a drawer that closes with the choice', async ({ page }) => {
  await page.goto('/#/dashboard');
  const menu = page.getByRole('navigation', { name: 'Main menu' });
  await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();
  await expect(menu).toHaveCount(0);
  await page.getByRole('button', { name: 'Open menu' }).click();
  await menu.getByRole('link', { name: 'Channels' }).click();
  await expect(page.getByRole('heading', { name: 'Channels', level: 1 })).toBeVisible();
  await expect(menu).toHaveCount(0);
  await page.getByRole('button', { name: 'Open menu' }).click();
  await expect(menu).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(menu).toHaveCount(0);
});

test('on a phone a list is cards, with the same actions', async ({ page, stage }) => {
  const channel = await stage.liveChannel('Pocket size');
  await page.goto('/#/stream/channels');
  const card = page.getByRole('list', { name: 'Channels' }).getByRole('listitem').filter({ hasText: channel.name });
  await expect(card).toContainText('Live');
  await expect(card).toContainText('Bitrate');
  await expect(page.getByRole('table')).toHaveCount(0);
  await card.getByRole('button', { name: `Stop ${channel.name}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stop channel' }).click();
  await expect(card).toContainText('Stopped');
  await card.getByRole('link', { name: channel.name }).click();
  await expect(page.getByRole('heading', { name: channel.name, level: 1 })).toBeVisible();
});

test('a name too long for a phone is truncated, and the state remains visible', async ({ page, stage }) => {
  const channel = await stage.liveChannel('A channel with a name of sixty characters and no end');
  await stage.output(channel, 'Far away', { url: 'rtmp://127.0.0.1:9/live', key: 'k' });
  await page.goto('/#/dashboard');
  const row = page
    .getByRole('region', { name: 'Needs attention' })
    .getByRole('listitem')
    .filter({ hasText: channel.name });
  const name = await row.getByRole('link').boundingBox();
  const state = await row.getByText('Not reachable').boundingBox();
  expect(state!.x).toBeGreaterThanOrEqual(name!.x + name!.width);
});

test('an address in the log is broken only between its parts', async ({ page, stage }) => {
  const channel = await stage.channel('Broken lines');
  const host = 'a-host-whose-name-fills-a-line.example.com';
  await stage.output(channel, 'Far away', { url: `rtmp://${host}:19350/live/a-rather-long-application`, key: 'k' });
  await page.goto('/#/settings/logs');
  const card = page
    .getByRole('listitem')
    .filter({ hasText: `Far away: rtmp://${host}` })
    .first();
  const lines = await card.evaluate((element) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const at = node.textContent?.indexOf(':19350') ?? -1;
      if (at < 0) continue;
      const range = document.createRange();
      range.setStart(node, at + 1);
      range.setEnd(node, at + 6);
      return range.getClientRects().length;
    }
    return 0;
  });
  expect(lines).toBe(1);
});

test('content that a message covers on a phone can be scrolled into view', async ({ page, stage }) => {
  for (let count = 0; count < 6; count++) await stage.channel('Row');
  const channel = await stage.channel('Row that is changed');
  await page.goto(`/#/stream/channels?dialog=edit&id=${channel.id}`);
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  const message = page.getByRole('region', { name: 'Messages' }).getByText(`“${channel.name}” was saved.`);
  await expect(message).toBeVisible();
  const last = page.getByRole('main').getByRole('button').last();
  // The dialog returns the focus a moment after it has closed, and the page scrolls there.
  await expect(async () => {
    await page.getByRole('main').evaluate((main) => main.scrollTo(0, main.scrollHeight));
    const [button, toast] = [await last.boundingBox(), await message.boundingBox({ timeout: 500 })];
    expect(button!.y + button!.height).toBeLessThan(toast!.y);
  }).toPass({ timeout: 3000 });
});

test('every protocol of an input can be reached on a phone', async ({ page }) => {
  await page.goto('/#/stream/input?dialog=add');
  const dialog = page.getByRole('dialog', { name: 'Add input' });
  const protocol = dialog.getByRole('combobox', { name: 'Protocol' });
  await expect(protocol.locator('option')).toHaveText(['SRT', 'RTMP', 'RTSP', 'HTTP/HLS', 'UDP', 'RTP']);
  await protocol.selectOption('RTP');
  await expect(dialog.getByRole('textbox', { name: 'Local address or group' })).toBeVisible();
  const over = await dialog.evaluate((element) => element.scrollWidth - element.clientWidth);
  expect(over).toBe(0);
});

test('every control on a phone is tall enough for a finger', async ({ page, stage }) => {
  const channel = await stage.channel('Within reach');
  const places = [
    ['/stream/channels', channel.name],
    [`/stream/channel/detail/${channel.id}`, 'Change input...'],
    ['/settings/user-group/4', 'Edit inputs and outputs'],
    ['/settings/general', 'Password rule'],
    ['/settings/logs', channel.name],
    ['/stream/channels?dialog=add', 'A new publisher takes over at once'],
  ] as const;
  for (const [path, text] of places) {
    await page.goto(`/#${path}`);
    await expect(page.getByText(text).first()).toBeVisible();
    expect(await page.evaluate(lowControls), path).toEqual([]);
  }
});
