import { hostname } from 'node:os';
import type { Page } from '@playwright/test';
import { expect, test } from './console-test.ts';

test.use({ locale: 'zh-CN' });

/** Names, protocols and units, which are the same in every language. */
const shared = new Set(
  [
    ...['Signalbox', 'Admin', 'English', 'FFmpeg', 'Web', 'API', hostname()],
    ...['rtmp', 'srt', 'udp', 'tcp', 'http', 'https', 'live', 'example', 'com', 'app', 'host', 'CPU', 'AES'],
    ...['AAC', 'fps', 'kHz', 'EN'],
  ].map((word) => word.toLowerCase()),
);

/** Everything that can be read or heard, but for what people have named and for addresses. */
function readableTexts(): string[] {
  const named = 'code, tbody, time, [lang="en"]';
  const texts: string[] = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (parent?.checkVisibility() === true && parent.closest(named) === null) texts.push(node.textContent ?? '');
  }
  for (const attribute of ['aria-label', 'title', 'placeholder']) {
    for (const element of document.querySelectorAll(`[${attribute}]`)) {
      if (element.closest(named) === null) texts.push(element.getAttribute(attribute) ?? '');
    }
  }
  return texts;
}

async function foreignTexts(page: Page): Promise<string[]> {
  const texts = await page.evaluate(readableTexts);
  const isForeign = (text: string) =>
    (text.match(/[A-Za-z]{3,}/g) ?? []).some((word) => !shared.has(word.toLowerCase()));
  return texts.filter(isForeign);
}

test('no text of any page or dialog is left in English', async ({ page, stage }) => {
  // Names of fewer than three letters are no words.
  const channel = await stage.liveChannel('K');
  await stage.output(channel, 'P', { url: 'rtmp://127.0.0.1:9/live', key: 'k' });
  const detail = `/stream/channel/detail/${channel.id}`;
  const places: [path: string, isDialog: boolean][] = [
    ['/dashboard', false],
    ['/stream/channels', false],
    ['/stream/channels?q=none-of-these', false],
    ['/stream/channels?dialog=add', true],
    [detail, false],
    [`${detail}?dialog=add-output`, true],
    ['/stream/channel/detail/999999', false],
    ['/stream/input', false],
    ['/stream/input?dialog=add', true],
    ['/stream/output', false],
    ['/settings/general', false],
    ['/settings/logs', false],
    ['/nowhere', false],
  ];
  for (const [path, isDialog] of places) {
    await page.goto(`/#${path}`);
    await expect(
      page
        .getByRole(isDialog ? 'dialog' : 'main')
        .getByRole('heading')
        .first(),
    ).toBeVisible();
    expect.soft(await foreignTexts(page), path).toEqual([]);
  }
  await page.goto(`/#${detail}`);
  await page.getByRole('button', { name: `停止`, exact: true }).click();
  await expect(page.getByRole('dialog').getByRole('heading')).toBeVisible();
  expect.soft(await foreignTexts(page), 'the question before a stop').toEqual([]);
});
