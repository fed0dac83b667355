/**
 * The HLS players that web pages embed, with default settings, and the player of the console. Each is the first viewer
 * of its channel, when the playlist is shortest.
 */
import { join } from 'node:path';
import type { BrowserContext, Locator } from '@playwright/test';
import { channelPath } from '../../web/src/lib/paths.ts';
import { expect, test } from './console-test.ts';

const framesPerSecond = 25;
/** A player may pause until it has reached its distance from the live edge. */
const framesToSettle = 3 * framesPerSecond;
/**
 * With 1.2 s of buffer, a player close to the live edge may stall, or fall behind and jump ahead, on a fully loaded
 * machine.
 */
const maxBreaks = { segments: 0, parts: 3 };
const limitMs = 150_000;
/** Without a GPU, a third of the work is to draw the pages. */
const small = { width: 480, height: 400 };
const modules = join(import.meta.dirname, '../../node_modules');

/** Messages of the player; set before it starts. */
declare global {
  interface Window {
    playerErrors?: string[];
  }
}

const embedded = {
  'hls.js': {
    script: 'hls.js/dist/hls.min.js',
    begin: `const hls = new Hls();
      // hls.js also reports each stall as an error; the media element counts them all.
      hls.on(Hls.Events.ERROR, (_, { details }) => details === 'bufferStalledError' || playerErrors.push(details));
      hls.loadSource(url);
      hls.attachMedia(video);`,
  },
  Shaka: {
    script: 'shaka-player/dist/shaka-player.compiled.js',
    begin: `const player = new shaka.Player();
      player.addEventListener('error', ({ detail }) => playerErrors.push(detail.code));
      await player.attach(video);
      await player.load(url);`,
  },
} as const;

/** Returns the video of a page with only this player. */
async function embed(context: BrowserContext, name: keyof typeof embedded, url: string): Promise<Locator> {
  const { script, begin } = embedded[name];
  const page = await context.newPage();
  await page.setViewportSize(small);
  await page.setContent('<video muted autoplay playsinline></video>');
  await page.addScriptTag({ path: join(modules, script) });
  await page.evaluate(`(async () => {
    window.playerErrors = [];
    const [video, url] = [document.querySelector('video'), ${JSON.stringify(url)}];
    ${begin}
  })()`);
  return page.locator('video');
}

interface Playback {
  /** Frames decoded since the player settled. */
  readonly frames: number;
  /** How far the position moved in that time. */
  readonly seconds: number;
  /** Interruptions in that time. A pause that ends with a jump has several events, but no frame between them. */
  readonly breaks: readonly string[];
  /** Errors in that time. */
  readonly faults: readonly string[];
}

/** Resolves once this many frames were decoded after the player settled, or with those decoded by the time limit. */
function watch(video: Locator, frames: number): Promise<Playback> {
  return video.evaluate(
    async (element, { frames, framesToSettle, limitMs }) => {
      const shown = element as HTMLVideoElement;
      const decoded = () => shown.getVideoPlaybackQuality().totalVideoFrames;
      const limit = new Promise<boolean>((resolve) => setTimeout(resolve, limitMs, false));
      const reached = (count: number) =>
        new Promise<boolean>((resolve) => {
          const look = () => decoded() >= count && resolve(true);
          shown.addEventListener('timeupdate', look);
          void limit.then(resolve);
        });
      await reached(framesToSettle);
      const faults: string[] = [];
      const breaks: string[] = [];
      const note = (name: string, list: string[]) => list.push(`${name} at ${shown.currentTime}`);
      let brokenAt = -1;
      const noteBreak = (name: string) => {
        if (decoded() !== brokenAt) note(name, breaks);
        brokenAt = decoded();
      };
      for (const name of ['waiting', 'seeking']) shown.addEventListener(name, () => noteBreak(name));
      for (const name of ['pause', 'ended', 'error']) shown.addEventListener(name, () => note(name, faults));
      const errorsBefore = window.playerErrors?.length ?? 0;
      const from = { frames: decoded(), seconds: shown.currentTime };
      await reached(from.frames + frames);
      return {
        frames: decoded() - from.frames,
        seconds: shown.currentTime - from.seconds,
        breaks,
        faults: [...faults, ...(window.playerErrors?.slice(errorsBefore) ?? [])],
      };
    },
    { frames, framesToSettle, limitMs },
  );
}

test('as first viewers of RTMP channels, hls.js, Shaka and the console play without interruption', async ({
  page,
  context,
  stage,
}) => {
  test.setTimeout(2 * limitMs);
  const channel = () => stage.liveChannel('First viewer');
  const own = await channel();
  const begin = async (name: keyof typeof embedded, playlist: string) =>
    embed(context, name, `${(await channel()).hlsFolder}/${playlist}`);
  const playing = async (video: Promise<Locator>, by: keyof typeof maxBreaks, seconds: number) => {
    const desired = seconds * framesPerSecond;
    const { frames, seconds: moved, breaks, faults } = await watch(await video, desired);
    const isEvery = breaks.length > 0 || Math.abs(moved - frames / framesPerSecond) < 1;
    return { faults, isWhole: frames >= desired && isEvery, breaks: breaks.length > maxBreaks[by] ? breaks : [] };
  };
  const openPreview = async () => {
    await page.setViewportSize(small);
    await page.goto(`/#${channelPath(own.id)}`);
    await page.getByRole('button', { name: 'Preview' }).click();
    return page.getByRole('region', { name: /^Preview of/ }).locator('video');
  };
  const [plain, low, shaka, preview] = await Promise.all([
    playing(begin('hls.js', 'index.m3u8'), 'segments', 20),
    playing(begin('hls.js', 'low.m3u8'), 'parts', 20),
    playing(begin('Shaka', 'index.m3u8'), 'segments', 20),
    playing(openPreview(), 'parts', 30),
  ]);
  const good = { faults: [], isWhole: true, breaks: [] };
  expect({ plain, low, shaka, preview }).toEqual({ plain: good, low: good, shaka: good, preview: good });
});
