import { hostname } from 'node:os';
import type { Page } from '@playwright/test';
import { startHub } from '../integration/hub-process.ts';
import { signInCookie } from './accounts.ts';
import { expect, test } from './console-test.ts';
import { encode } from './stage.ts';

test.use({ locale: 'zh-CN' });

/** Names, protocols and units, which are the same in every language. */
const shared = new Set(
  [
    ...['Signalbox', 'Admin', 'English', 'FFmpeg', 'Web', 'API', hostname()],
    ...[
      'rtmp',
      'srt',
      'udp',
      'rtp',
      'rtsp',
      'ndi',
      'hls',
      'url',
      'tcp',
      'http',
      'https',
      'live',
      'example',
      'com',
      'app',
      'host',
      'CPU',
      'AES',
    ],
    ...['AAC', 'fps', 'kHz', 'EN', 'Webhook', 'JSON', 'CSV', 'dBFS', 'Bun'],
  ].map((word) => word.toLowerCase()),
);

/** Everything that can be read or heard, but for what people have named and for addresses. */
function readableTexts(): string[] {
  const named = 'code, kbd, tbody, time, [lang="en"], [translate="no"]';
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
  const output = await stage.output(channel, 'P', { url: 'rtmp://127.0.0.1:9/live', key: 'k' });
  const detail = `/stream/channel/detail/${channel.id}`;
  const places: [path: string, isDialog: boolean][] = [
    ['/dashboard', false],
    ['/stream/channels', false],
    ['/stream/channels?q=none-of-these', false],
    ['/stream/channels?dialog=add', true],
    [detail, false],
    ...['edit', 'add-output', 'failover', 'alarms', 'preview', `quality-output&id=${output}`].map(
      (dialog): [string, boolean] => [`${detail}?dialog=${dialog}`, true],
    ),
    ['/stream/channel/detail/999999', false],
    ['/stream/input', false],
    ['/stream/input?dialog=add', true],
    ['/stream/output', false],
    ['/stream/server', false],
    ['/stream/server?dialog=add', true],
    ['/settings/general', false],
    ['/settings/user', false],
    ['/settings/user?dialog=add', true],
    ['/settings/user?dialog=add-group', true],
    ['/settings/user-group/1', false],
    ['/settings/user-group/4', false],
    ['/settings/profile', false],
    ['/settings/profile?dialog=password', true],
    ['/settings/profile?dialog=keys', true],
    ['/settings/logs', false],
    ['/settings/logs?q=none-of-these&result=failure', false],
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
  await page.getByRole('button', { name: /的账户$/ }).click();
  await expect(page.getByText('用户组：管理员')).toBeVisible();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: '前往', exact: true }).click();
  await page.getByRole('combobox').fill('通道');
  await expect(page.getByRole('option', { name: '添加通道' })).toBeVisible();
  expect.soft(await foreignTexts(page), 'the palette').toEqual([]);
  await page.goto(`/#${detail}`);
  await page.getByRole('button', { name: `停止`, exact: true }).click();
  await expect(page.getByRole('dialog').getByRole('heading')).toBeVisible();
  expect.soft(await foreignTexts(page), 'the question before a stop').toEqual([]);
});

test('the cure of a missing part is in Chinese', async ({ page, context }) => {
  const hub = await startHub({ env: { SIGNALBOX_FFMPEG: '/nowhere/ffmpeg' } });
  try {
    await context.addCookies([await signInCookie(hub, 'admin')]);
    await page.goto(`${hub.url}/#/dashboard`);
    await expect(page.getByText('FFmpeg：未安装')).toBeVisible();
    await expect(page.getByText('在“/nowhere/ffmpeg”未找到 FFmpeg。请安装 Debian 软件包 ffmpeg')).toBeVisible();
  } finally {
    await page.close();
    await hub.stop();
  }
});

test('the log says in Chinese what was changed', async ({ page, stage, hub }) => {
  const channel = await stage.channel('K');
  await stage.output(channel, `P of ${channel.name}`, { url: 'rtmp://127.0.0.1:9/live', key: 'k' });
  const config = { 'push-key': `other-${channel.id}`, protocol: { srt: false } };
  await hub.api('/api/channel/set', { id: channel.id, name: `${channel.name} N`, config });
  stage.adopt(`${channel.name} N`);
  await page.goto('/#/settings/logs');
  const details = (action: string) =>
    page.getByRole('row').filter({ hasText: channel.name }).filter({ hasText: action }).first();
  await expect(details('修改通道')).toContainText(`${channel.name}：更换推流密钥，停用 SRT，更名为“${channel.name} N”`);
  await expect(details('添加输出')).toContainText(
    `P of ${channel.name}：rtmp://127.0.0.1:9/live，用于 ${channel.name}`,
  );
});

test('the processes of a channel have Chinese names', async ({ page, stage }) => {
  const channel = await stage.channel('K');
  // A codec that is put into another container by FFmpeg.
  encode(channel.pushUrl, { sound: 'libmp3lame' });
  await stage.output(channel, `U of ${channel.name}`, { type: 1, url: 'udp://127.0.0.1:9' });
  await page.goto(`/#/stream/channel/detail/${channel.id}`);
  await expect(page.getByRole('combobox', { name: '进程' })).toContainText('FLV 转换为 MPEG-TS（运行中）');
});
