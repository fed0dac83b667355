import { startHub } from '../integration/hub-process.ts';
import { signInCookie } from './accounts.ts';
import { axeFaults } from './axe.ts';
import { expect, test } from './console-test.ts';
import { showIn } from './views.ts';

test('the dashboard shows what is on air, what needs attention and how loaded the hub is', async ({ page, stage }) => {
  const live = await stage.liveChannel('Evening news');
  await stage.output(live, 'Unreachable site', { url: 'rtmp://127.0.0.1:9/live', key: 'k' });
  await page.goto('/');
  await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();

  const onAir = page.getByRole('region', { name: 'On air' });
  await expect(onAir.getByRole('listitem').filter({ hasText: live.name })).toContainText(/[1-9]\d*(\.\d+)?\s*[kM]b\/s/);
  const attention = page.getByRole('region', { name: 'Needs attention' });
  const fault = attention.getByRole('listitem').filter({ hasText: `${live.name} → Unreachable site` });
  await expect(fault).toContainText('Connection refused');

  const load = page.getByRole('region', { name: 'Hub load' });
  for (const name of ['CPU', 'Memory', 'Stream buffers', 'Network in', 'Network out', 'Disk']) {
    await expect(load).toContainText(name);
  }
  await expect(load.getByRole('img', { name: /^Stream buffers \d+ percent full$/ })).toBeVisible();
  await expect(load.getByRole('img', { name: /^Disk \d+ percent full$/ })).toBeVisible();
  for (const name of ['CPU load', 'Memory in use', 'Network received', 'Network sent']) {
    await expect(load.getByRole('img', { name: `${name} in the last 60 minutes` })).toBeVisible();
  }
  const tile = (name: string) => page.getByRole('listitem').filter({ hasText: new RegExp(`^${name}`) });
  for (const name of ['Channels live', 'Outputs running', 'Players', 'Received', 'Sent']) {
    await expect(tile(name)).toBeVisible();
  }
  await expect(tile('Channels live')).toContainText(/^Channels live[1-9]/);
  await expect(tile('Received')).toContainText(/[1-9]\d*(\.\d+)?\s*[kM]b\/s/);

  await onAir.getByRole('link', { name: live.name }).click();
  await expect(page.getByRole('heading', { name: live.name, level: 1 })).toBeVisible();
});

test('dashboard and channel list take the channels from the event stream, which sends only what changes', async ({
  page,
  stage,
}) => {
  const live = await stage.liveChannel('Streamed');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto('/#/dashboard');
  await expect(page.getByRole('region', { name: 'On air' }).getByRole('link', { name: live.name })).toBeVisible();
  await page.getByRole('link', { name: 'Channels', exact: true }).click();
  await expect(page.getByRole('row').filter({ hasText: live.name })).toContainText(/[1-9]\d*(\.\d+)?\s*[kM]b\/s/);
  expect(asked.filter((url) => url.includes('/api/channel/'))).toEqual([]);
  expect(asked.some((url) => url.includes('changes=patch'))).toBe(true);
});

test('a stream that stops leaves the list at once', async ({ page, stage }) => {
  const live = await stage.liveChannel('Short clip');
  await page.goto('/#/dashboard');
  const row = page.getByRole('region', { name: 'On air' }).getByRole('link', { name: live.name });
  await expect(row).toBeVisible();
  await live.encoder.stop();
  await expect(row).toHaveCount(0);
});

test('a missing part of the hub is shown with its remedy, in both languages', async ({ page, context }) => {
  const hub = await startHub({ env: { SIGNALBOX_FFMPEG: '/nowhere/ffmpeg' } });
  try {
    await context.addCookies([await signInCookie(hub, 'admin')]);
    await page.goto(`${hub.url}/#/dashboard`);
    await expect(page.getByText('FFmpeg: not installed')).toBeVisible();
    await expect(page.getByText('It was not found at “/nowhere/ffmpeg”')).toBeVisible();
    for (const colorScheme of ['dark', 'light'] as const) {
      await showIn(page, colorScheme);
      expect(await axeFaults(page), colorScheme).toEqual([]);
    }
    await page.getByRole('button', { name: 'Language: EN' }).click();
    await page.getByRole('menuitemradio', { name: '中文' }).click();
    await expect(page.getByText('FFmpeg：未安装')).toBeVisible();
    await expect(page.getByText('在“/nowhere/ffmpeg”未找到 FFmpeg。请安装 Debian 软件包 ffmpeg')).toBeVisible();
  } finally {
    await page.close();
    await hub.stop();
  }
});
