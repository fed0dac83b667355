import type { Page } from '@playwright/test';
import { channelPath, paths } from '../../web/src/paths.ts';
import { axeFaults } from './axe.ts';
import { expect, test } from './console-test.ts';

/** From the click to the picture that moves. */
const firstPictureMs = 2000;

const pictureOf = (page: Page, name: string) => page.getByRole('img', { name: `Picture of ${name}` });

test('small pictures of live channels show in the list and on the dashboard, and change', async ({ page, stage }) => {
  const live = await stage.liveChannel('Thumbnail');
  const idle = await stage.channel('No picture');
  for (const place of [paths.channels, paths.dashboard]) {
    await page.goto(`/#${place}`);
    const picture = pictureOf(page, live.name);
    await expect(picture).toBeVisible();
    await expect(picture).toHaveJSProperty('naturalWidth', 320);
    const first = await picture.getAttribute('src');
    await expect(picture).not.toHaveAttribute('src', first ?? '');
    await expect(pictureOf(page, idle.name)).toHaveCount(0);
  }
});

test('one stream carries the pictures of a page; without the page it is closed', async ({ page, stage }) => {
  const channels = [await stage.liveChannel('First of two'), await stage.liveChannel('Second of two')];
  const ended: string[] = [];
  const opened: string[] = [];
  const isStream = (url: string) => url.includes('/api/preview/open');
  page.on('request', (request) => isStream(request.url()) && opened.push(request.url()));
  page.on('requestfailed', (request) => isStream(request.url()) && ended.push(request.url()));
  await page.goto(`/#${paths.channels}`);
  for (const { name } of channels) await expect(pictureOf(page, name)).toBeVisible();
  expect(opened).toHaveLength(1);
  await page.getByRole('link', { name: 'General' }).click();
  await expect.poll(() => ended.length).toBe(1);
});

test('a click shows the live picture within two seconds, with levels, and sound when asked for', async ({
  page,
  stage,
}) => {
  const live = await stage.liveChannel('Player');
  await page.goto(`/#${channelPath(live.id)}`);
  const button = page.getByRole('button', { name: 'Preview' });
  await expect(button).toBeEnabled();
  expect(await page.evaluate(() => MediaSource.isTypeSupported('video/mp4; codecs="avc1.64002a"'))).toBe(true);
  await button.focus();
  const begun = Date.now();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: `Preview of ${live.name}` });
  const moves = (element: SVGElement | HTMLElement) => {
    const { currentTime, videoWidth, paused } = element as HTMLVideoElement;
    return videoWidth > 0 && !paused && currentTime;
  };
  const video = dialog.locator('video');
  await video.waitFor();
  const start = await video.evaluate(async (element) => {
    const shown = element as HTMLVideoElement;
    const frame = () =>
      new Promise<number>((resolve) => shown.requestVideoFrameCallback((_, { mediaTime }) => resolve(mediaTime)));
    const first = await frame();
    while ((await frame()) === first);
    return Date.now();
  });
  console.log(`from the key to a picture that moves: ${start - begun} ms`);
  expect(start - begun).toBeLessThan(firstPictureMs);
  const before = await video.evaluate(moves);
  await expect.poll(() => video.evaluate(moves)).toBeGreaterThan(Number(before));

  const left = dialog.getByRole('meter', { name: 'Level Left in dBFS' });
  await expect.poll(async () => Number(await left.getAttribute('aria-valuenow'))).toBeGreaterThan(-40);
  await expect(dialog).toContainText('320×180');
  await expect(dialog).toContainText('25 fps');
  await expect(dialog).toContainText(/Behind live\d/);
  const sound = dialog.getByRole('button', { name: 'Unmute' });
  await sound.click();
  await expect(dialog.getByRole('button', { name: 'Mute', exact: true })).toHaveAttribute('aria-pressed', 'true');
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await axeFaults(page), colorScheme).toEqual([]);
  }

  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(button).toBeFocused();
  // Nothing is loaded any more.
  const asked = page.waitForRequest((request) => request.url().includes('/api/preview/live/'), { timeout: 2500 });
  await expect(asked).rejects.toThrow();
});
