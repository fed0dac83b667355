import type { Page } from '@playwright/test';
import { expect, test } from './console-test.ts';

/** One width of each size class of the console, a tablet held sideways, and a very wide screen. */
const widths = [360, 600, 820, 1024, 1280, 1440, 3840];
const height = 900;
/** Enough for a name to be told from others. That of an output may take two lines. */
const readablePx = 100;

/**
 * Visible width of each text on the page that begins with `name`, by how much the document scrolls sideways, whether
 * rows are too wide to be read, and how many rows have actions below each other instead of beside each other.
 */
function measure(page: Page, name: string) {
  return page.evaluate((wanted) => {
    const visibleWidth = (node: Node): number => {
      const range = document.createRange();
      range.selectNodeContents(node);
      let { left, right } = range.getBoundingClientRect();
      for (let box = node.parentElement; box !== null; box = box.parentElement) {
        if (getComputedStyle(box).overflowX === 'visible') continue;
        const edges = box.getBoundingClientRect();
        left = Math.max(left, edges.left);
        right = Math.min(right, edges.right);
      }
      return Math.round(Math.min(right, window.innerWidth) - left);
    };
    const walker = document.createTreeWalker(document.querySelector('main') ?? document.body, NodeFilter.SHOW_TEXT);
    const names: { text: string; pixels: number }[] = [];
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const parent = node.parentElement;
      // The options of a closed list take no place.
      const isShown = parent?.checkVisibility() === true && parent.closest('option') === null;
      if (isShown && node.textContent?.startsWith(wanted)) {
        names.push({ text: parent.outerHTML.slice(0, 200), pixels: visibleWidth(node) });
      }
    }
    const main = document.querySelector('main');
    const scrolling = [document.documentElement, main];
    const over = scrolling.map((element) => (element ? element.scrollWidth - element.clientWidth : 0));
    const isTooWide = [...(main?.children ?? [])].some(({ clientWidth }) => clientWidth > 1920);
    const stacked = [...(main?.querySelectorAll('td:last-child > span') ?? [])].filter((actions) => {
      const boxes = [...actions.querySelectorAll('button, input')].map((one) => one.getBoundingClientRect());
      const middles = boxes.filter(({ width }) => width > 0).map(({ top, bottom }) => (top + bottom) / 2);
      return middles.length > 1 && Math.max(...middles) - Math.min(...middles) > 12;
    }).length;
    return { names, over: Math.max(...over), isTooWide, stacked };
  }, name);
}

test('names can be read at every width, and no page scrolls sideways', async ({ page, stage, hub }) => {
  const name = 'Outside broadcast of the harbour';
  const channel = await stage.liveChannel(name);
  await stage.output(channel, `${name} to the archive`, { type: 1, url: 'udp://127.0.0.1:9' });
  const added = (path: string, body: object) => hub.api<{ id: number }>(path, body);
  const input = await added('/api/input/source/add', {
    name: `${name} by SRT`,
    config: { type: 1, url: 'srt://a-host-of-some-length.example.com:9000?mode=caller' },
  });
  const server = await added('/api/server/add', {
    name: `${name} archive`,
    config: { type: 1, url: 'rtmp://a-host-of-some-length.example.com/live', 'main-key': 'k', 'main-stream': true },
  });
  await page.setViewportSize({ width: 1440, height });
  for (const [path, label] of [
    ['/stream/channels', 'Channels'],
    ['/stream/input', 'Inputs'],
    ['/stream/output', 'Outputs'],
    ['/stream/server', 'Destinations'],
    [`/stream/channel/detail/${channel.id}`, 'Outputs of this channel'],
    ['/settings/logs', 'Operation log'],
  ] as const) {
    await page.goto(`/#${path}`);
    await expect(page.getByRole('table', { name: label })).toContainText(name);
    for (const width of widths) {
      await page.setViewportSize({ width, height });
      await expect
        .poll(
          async () => {
            const { names, ...rest } = await measure(page, name);
            return { isListed: names.length > 0, cut: names.filter(({ pixels }) => pixels < readablePx), ...rest };
          },
          { message: `${label} at ${width} px` },
        )
        .toEqual({ isListed: true, cut: [], over: 0, isTooWide: false, stacked: 0 });
    }
    await page.setViewportSize({ width: 1440, height });
  }
  await hub.api('/api/input/source/del', { id: input.id });
  await hub.api('/api/server/del', { id: server.id });
});

test('the menu shows icons with names where a tablet has no room for labels', async ({ page }) => {
  await page.setViewportSize({ width: 1024, height: 768 });
  await page.goto('/#/dashboard');
  const menu = page.getByRole('navigation', { name: 'Main menu' });
  expect((await menu.boundingBox())!.width).toBeLessThan(80);
  await menu.getByRole('link', { name: 'Channels' }).click();
  await expect(page.getByRole('heading', { name: 'Channels', level: 1 })).toBeVisible();
  await expect(menu.getByRole('link', { name: 'Channels' })).toHaveAttribute('aria-current', 'page');
});

test('at 200 % zoom of a small screen no page scrolls sideways, and the buttons of every dialog can be reached', async ({
  page,
  stage,
}) => {
  const channel = await stage.channel('Zoomed');
  await stage.output(channel, 'Archive', { type: 1, url: 'udp://127.0.0.1:9' });
  const detail = `/stream/channel/detail/${channel.id}`;
  for (const size of [
    { width: 720, height: 450 },
    { width: 640, height: 360 },
  ]) {
    await page.setViewportSize(size);
    for (const path of ['/dashboard', '/stream/channels', detail, '/settings/general']) {
      await page.goto(`/#${path}`);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await expect.poll(async () => (await measure(page, 'Zoomed')).over, { message: path }).toBe(0);
    }
    for (const [address, button] of [
      ['/stream/channels?dialog=add', 'Add channel'],
      [`${detail}?dialog=add-output`, 'Add output'],
      [`${detail}?dialog=failover`, 'Save'],
      [`${detail}?dialog=alarms`, 'Save'],
      ['/stream/input?dialog=add', 'Add input'],
    ] as const) {
      await page.goto(`/#${address}`);
      const dialog = page.getByRole('dialog');
      // Fails if anything covers it, or if it is outside of the window.
      await dialog.getByRole('button', { name: button, exact: true }).click({ trial: true });
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await expect(dialog).toHaveCount(0);
    }
  }
});
