import type { Locator, Page } from '@playwright/test';
import { channelPath, paths } from '../../web/src/lib/paths.ts';
import { axeFaults } from './axe.ts';
import { expect, test } from './console-test.ts';
import { showIn } from './views.ts';

const playerOf = (page: Page) => page.getByRole('region', { name: /^Preview of/ });
const pictureOf = (page: Page, name: string) => page.getByRole('img', { name: `Picture of ${name}` });

test('thumbnails of live channels are shown in the list and on the dashboard, and change', async ({ page, stage }) => {
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

test('one stream carries the thumbnails of a page; leaving the page closes it', async ({ page, stage }) => {
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

/** Resolves when the video has shown a second frame. */
async function untilItMoves(video: Locator): Promise<void> {
  await video.waitFor();
  await video.evaluate(async (element) => {
    const shown = element as HTMLVideoElement;
    const frame = () =>
      new Promise<number>((resolve) => shown.requestVideoFrameCallback((_, { mediaTime }) => resolve(mediaTime)));
    const first = await frame();
    while ((await frame()) === first);
  });
}

/**
 * Four seconds of video, after two in which the player finds its distance from the live edge: at first it has no
 * buffer, and stalls depend on the load of the machine.
 */
async function untilItPlaysOn(video: Locator): Promise<void> {
  const pauses = await video.evaluate(async (element) => {
    const shown = element as HTMLVideoElement;
    const pictures = () => shown.getVideoPlaybackQuality().totalVideoFrames;
    const more = async (count: number) => {
      const until = pictures() + count;
      while (pictures() < until) await new Promise((resolve) => shown.requestVideoFrameCallback(resolve));
    };
    await more(50);
    let waits = 0;
    shown.addEventListener('waiting', () => waits++);
    await more(100);
    return waits;
  });
  expect(pauses).toBeLessThanOrEqual(3);
}

for (const by of ['RTMP', 'SRT'] as const) {
  test(`the live preview plays GOPs of 4 s over ${by}`, async ({ page, stage }) => {
    // A new channel, so that no segments exist yet.
    const channel = await stage.channel('Long groups');
    await stage.encodeAgain(channel, { by, groupSeconds: 4 });
    await page.goto(`/#${channelPath(channel.id)}`);
    await page.getByRole('button', { name: 'Preview' }).click();
    const video = playerOf(page).locator('video');
    await untilItMoves(video);
    await untilItPlaysOn(video);
  });
}

test('a click on the picture opens the live preview in its place, with audio levels, and with sound on request', async ({
  page,
  stage,
}) => {
  const live = await stage.liveChannel('Player');
  await page.goto(`/#${channelPath(live.id)}`);
  const button = page.getByRole('button', { name: 'Preview' });
  await expect(button).toBeEnabled();
  expect(await page.evaluate(() => MediaSource.isTypeSupported('video/mp4; codecs="avc1.64002a"'))).toBe(true);
  const held = Promise.withResolvers<void>();
  await page.route('**/low.m3u8', async (route) => {
    await held.promise;
    await route.continue();
  });
  await button.focus();
  await page.keyboard.press('Enter');
  const player = playerOf(page);
  const video = player.locator('video');
  // The picture that is there already is not dimmed while the live one loads.
  const state = player.getByRole('status');
  await expect(state).toHaveText('Loading');
  await expect(state).toHaveCSS('background-color', 'rgba(0, 0, 0, 0)');
  held.resolve();
  await untilItMoves(video);
  const moves = (element: SVGElement | HTMLElement) => {
    const { currentTime, videoWidth, paused } = element as HTMLVideoElement;
    return videoWidth > 0 && !paused && currentTime;
  };
  const before = await video.evaluate(moves);
  await expect.poll(() => video.evaluate(moves)).toBeGreaterThan(Number(before));

  const left = player.getByRole('meter', { name: 'Level Left in dBFS' });
  await expect.poll(async () => Number(await left.getAttribute('aria-valuenow'))).toBeGreaterThan(-40);
  await expect(player.getByRole('meter')).toHaveCount(2);
  await expect(player).toContainText('320×180');
  await expect(player).toContainText('25 fps');
  await expect(player).toContainText(/Latency\d/);
  const sound = player.getByRole('button', { name: 'Unmute' });
  await sound.click();
  await expect(player.getByRole('button', { name: 'Mute', exact: true })).toHaveAttribute('aria-pressed', 'true');
  for (const colorScheme of ['dark', 'light'] as const) {
    await showIn(page, colorScheme);
    expect(await axeFaults(page), colorScheme).toEqual([]);
  }

  await page.keyboard.press('Escape');
  await expect(player).toHaveCount(0);
  await expect(button).toBeFocused();
  // Nothing is being loaded any more.
  const asked = page.waitForRequest((request) => request.url().includes('/api/preview/live/'), { timeout: 2500 });
  await expect(asked).rejects.toThrow();
});

test('HEVC is reported at once if the browser has no decoder', async ({ page, stage }) => {
  const channel = await stage.channel('HEVC');
  await stage.encodeAgain(channel, { by: 'SRT', codec: 'hevc' });
  await page.goto(`/#${channelPath(channel.id)}`);
  await page.getByRole('button', { name: 'Preview' }).click();
  const player = playerOf(page);
  if (await page.evaluate(() => MediaSource.isTypeSupported('video/mp4; codecs="hvc1.1.6.L150.90"'))) {
    await untilItMoves(player.locator('video'));
  } else {
    const text = "This browser can't play HEVC. The channel itself is not affected.";
    await expect(player.getByRole('status')).toHaveText(text);
  }
});

test('a channel without video is heard, and reported as such', async ({ page, stage }) => {
  const channel = await stage.channel('Radio');
  await stage.encodeAgain(channel, { codec: 'none' });
  await page.goto(`/#${channelPath(channel.id)}`);
  await page.getByRole('button', { name: 'Preview' }).click();
  const player = playerOf(page);
  await expect(player.getByRole('status')).toHaveText('Audio only, no video');
  const left = player.getByRole('meter', { name: 'Level Left in dBFS' });
  await expect.poll(async () => Number(await left.getAttribute('aria-valuenow'))).toBeGreaterThan(-40);
});

test('MPEG audio plays without pauses; with unsupported audio the video plays, and a message says so', async ({
  page,
  stage,
}) => {
  const note = "No audio: the preview can't play Opus.";
  for (const sound of ['mp2', 'libopus'] as const) {
    const channel = await stage.channel(`Sound ${sound}`);
    await stage.encodeAgain(channel, { by: 'SRT', sound });
    await page.goto(`/#${channelPath(channel.id)}`);
    await page.getByRole('button', { name: 'Preview' }).click();
    const player = playerOf(page);
    const video = player.locator('video');
    await untilItMoves(video);
    await untilItPlaysOn(video);
    await expect(player.getByText(note)).toHaveCount(sound === 'libopus' ? 1 : 0);
    await page.keyboard.press('Escape');
  }
});
