/**
 * Screenshots of every page and dialog: `bun tests/e2e/screenshots.ts FOLDER [--only=NAME,...] [--view=VIEW,...]`.
 * Files are PAGE-VIEW.png, where a view is SIZE-SCHEME-LANGUAGE, such as phone-dark-zh; those of the size `tablet` are
 * taken only where `--view` names them. `--docs` takes the picture of
 * docs/images instead.
 */
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type Page, chromium as playwright } from '@playwright/test';
import { type HubProcess, startHub } from '../integration/hub-process.ts';
import { killAll } from '../integration/live-media.ts';
import { addViewer, signInCookie } from './accounts.ts';
import { chromium } from './browser.ts';
import { setDeviceScene } from './device-scene.ts';
import { deviceShots } from './device-shots.ts';
import { pensHub, pensOf } from './pens.ts';
import { gatherPeople, toTheLimits } from './people-scene.ts';
import { limitShots, peopleShots } from './people-shots.ts';
import { type Scene, setScene } from './scene.ts';
import type { Shot, Size } from './shot.ts';
import { emptyShots, insideShots, setupShots, signInShots, viewerShots } from './shots.ts';
import { beginTasks, taskShots } from './task-shots.ts';

const sizes = {
  ...{ desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } },
  tablet: { width: 820, height: 1180 },
} as const;
const languages = { en: 'en-GB', zh: 'zh-CN' } as const;
const schemes = ['light', 'dark'] as const;
/** GitHub shows images of this size quickly. */
const docsBytes = 200 * 1024;
/** Enough history to show its curves. */
const docsHistoryMs = 90_000;

interface View {
  readonly size: Size;
  readonly scheme: (typeof schemes)[number];
  readonly language: keyof typeof languages;
}
function option(name: string): string[] | undefined {
  const word = process.argv.find((one) => one.startsWith(`--${name}=`));
  return word?.slice(`--${name}=`.length).split(',');
}

const wantedViews = option('view');
const views: readonly View[] = (Object.keys(languages) as View['language'][])
  .flatMap((language) =>
    schemes.flatMap((scheme) => (Object.keys(sizes) as Size[]).map((size) => ({ size, scheme, language }))),
  )
  .filter((view) => wantedViews?.includes(nameOf(view)) ?? view.size !== 'tablet');

const folder = process.argv.slice(2).find((word) => !word.startsWith('--'));
const isForDocs = process.argv.includes('--docs');
const only = option('only');
if (folder === undefined && !isForDocs) {
  console.error('usage: bun tests/e2e/screenshots.ts FOLDER [--only=NAME,...] [--view=VIEW,...] | --docs');
  process.exit(2);
}

function nameOf({ size, scheme, language }: View): string {
  return `${size}-${scheme}-${language}`;
}

function open(browser: Browser, { size, scheme, language }: View): Promise<BrowserContext> {
  return browser.newContext({
    viewport: sizes[size],
    colorScheme: scheme,
    locale: languages[language],
    reducedMotion: 'reduce',
  });
}

/** Everything is loaded: text, fonts, data. */
async function settle(page: Page, isWaiting = false): Promise<void> {
  if (isWaiting) {
    const isShown = () =>
      [...document.querySelectorAll('main [aria-busy="true"] span')].some(
        (bone) => Number(getComputedStyle(bone).opacity) > 0.5,
      );
    await page.waitForFunction(isShown);
    return;
  }
  await page.locator('h1').first().waitFor();
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
  if (/dialog=(?!preview)/.test(page.url())) await page.locator('[aria-modal="true"]').waitFor();
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
}

async function take(page: Page, shot: Shot, view: View): Promise<void> {
  const { size } = view;
  const file = (name: string) => join(folder ?? '.', `${name}-${nameOf(view)}.png`);
  await page.screenshot({ path: file(shot.name) });
  if (shot.isLong !== true) return;
  const height = await page.evaluate(() => document.querySelector('main')?.scrollHeight ?? 0);
  const head = await page.evaluate(() => document.querySelector('main')?.getBoundingClientRect().top ?? 0);
  if (height + head <= sizes[size].height) return;
  await page.setViewportSize({ ...sizes[size], height: Math.ceil(height + head) });
  await page.screenshot({ path: file(`${shot.name}-whole`) });
  await page.setViewportSize(sizes[size]);
}

async function takeAll(context: BrowserContext, hub: HubProcess, shots: readonly Shot[], view: View): Promise<void> {
  for (const shot of shots) {
    if (only !== undefined && !only.includes(shot.name)) continue;
    if (shot.only !== undefined && shot.only !== view.size) continue;
    // A new page for each: no state is left from the previous one.
    const page = await context.newPage();
    try {
      await shot.before?.(page);
      await page.goto(`${hub.url}/#${shot.path}`);
      await settle(page, shot.isWaiting);
      await shot.act?.(page);
      await take(page, shot, view);
    } catch (error) {
      throw new Error(`${shot.name} of ${JSON.stringify(view)}`, { cause: error });
    }
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.close();
  }
}

async function takeView(browser: Browser, hub: HubProcess, scene: Scene, view: View): Promise<void> {
  const context = await open(browser, view);
  await takeAll(context, hub, signInShots, view);
  await context.addCookies([await signInCookie(hub, 'admin')]);
  await takeAll(context, hub, insideShots(scene), view);
  await context.addCookies([await signInCookie(hub, 'viewer')]);
  await takeAll(context, hub, viewerShots(scene), view);
  await context.close();
}

/** A hub before set-up, then without FFmpeg and channels. */
async function takeFresh(browser: Browser): Promise<void> {
  const hub = await startHub({ env: { SIGNALBOX_ADMIN_PASSWORD: '', SIGNALBOX_FFMPEG: '/nowhere/ffmpeg' } });
  try {
    const contexts = await Promise.all(views.map((view) => open(browser, view)));
    for (const [at, view] of views.entries()) await takeAll(contexts[at]!, hub, setupShots, view);
    await hub.api('/api/setup', { password: 'Over-the-hill1' });
    const cookie = await signInCookie(hub, { id: 'Admin', password: 'Over-the-hill1' });
    for (const [at, view] of views.entries()) {
      await contexts[at]?.addCookies([cookie]);
      await takeAll(contexts[at]!, hub, emptyShots, view);
    }
    await Promise.all(contexts.map((context) => context.close()));
  } finally {
    await hub.stop();
  }
}

/** Users, groups and access tokens, which exist only on a hub of the hardware variant. */
async function takePeople(browser: Browser): Promise<void> {
  const people = await gatherPeople();
  try {
    const cookie = await signInCookie(people.hub, 'admin');
    const contexts = await Promise.all(views.map((view) => open(browser, view)));
    await Promise.all(contexts.map((context) => context.addCookies([cookie])));
    for (const [at, view] of views.entries()) await takeAll(contexts[at]!, people.hub, peopleShots(people), view);
    await toTheLimits(people.hub);
    for (const [at, view] of views.entries()) await takeAll(contexts[at]!, people.hub, limitShots, view);
    await Promise.all(contexts.map((context) => context.close()));
  } finally {
    await people.hub.stop();
  }
}

/** Devices, on a hub with simulated ones. */
async function takeDevices(browser: Browser): Promise<void> {
  const scene = await setDeviceScene();
  try {
    const cookie = await signInCookie(scene.hub, 'admin');
    for (const view of views) {
      const context = await open(browser, view);
      await context.addCookies([cookie]);
      await takeAll(context, scene.hub, deviceShots(scene), view);
      await context.close();
    }
  } finally {
    await scene.close();
  }
}

/** The tray of tasks, on a hub whose tasks wait. */
async function takeTasks(browser: Browser): Promise<void> {
  const hub = await startHub({ program: [process.execPath, pensHub] });
  try {
    await hub.login();
    await beginTasks(pensOf(hub));
    const cookie = await signInCookie(hub, 'admin');
    for (const view of views) {
      const context = await open(browser, view);
      await context.addCookies([cookie]);
      await takeAll(context, hub, taskShots, view);
      await context.close();
    }
  } finally {
    await hub.stop();
  }
}

/** Overlays of all pages: an ended session, and a hub that is down. Stops the hub. */
async function takeLosses(browser: Browser, hub: HubProcess): Promise<void> {
  const opened = await Promise.all(
    views.map(async (view) => {
      const context = await open(browser, view);
      await context.addCookies([await signInCookie(hub, 'admin')]);
      const page = await context.newPage();
      await page.goto(`${hub.url}/#/stream/channels?dialog=add`);
      await settle(page);
      return { view, page, context };
    }),
  );
  for (const { view, page, context } of opened) {
    await context.clearCookies();
    await page.locator('[aria-modal="true"] input').first().fill('Studio B');
    await page.locator('[aria-modal="true"] button[type="submit"]').click();
    await page.locator('dialog[open] input[autocomplete="current-password"]').waitFor();
    await take(page, { name: 'session-ended', path: '' }, view);
  }
  await hub.kill('SIGKILL');
  for (const { view, page, context } of opened) {
    await page.bringToFront();
    await page.locator('[aria-labelledby="lost-title"]').waitFor();
    await take(page, { name: 'hub-lost', path: '' }, view);
    await context.close();
  }
}

async function takeDocs(browser: Browser, hub: HubProcess): Promise<void> {
  const context = await open(browser, { size: 'desk', scheme: 'light', language: 'en' });
  await context.addCookies([await signInCookie(hub, 'admin')]);
  const page = await context.newPage();
  await Bun.sleep(docsHistoryMs);
  await page.goto(`${hub.url}/#/dashboard`);
  await settle(page);
  await page.waitForFunction(() => {
    const pictures = [...document.querySelectorAll('main img')] as HTMLImageElement[];
    return pictures.length > 0 && pictures.every((picture) => picture.complete && picture.naturalWidth > 0);
  });
  const file = join(import.meta.dir, '../../docs/images/dashboard.png');
  await page.screenshot({ path: file });
  const bytes = statSync(file).size;
  if (bytes > docsBytes) throw new Error(`${file} has ${bytes} bytes, more than ${docsBytes}`);
  await context.close();
}

/** The hub in the middle of a working day. */
async function takeWorking(browser: Browser): Promise<void> {
  const hub = await startHub({});
  let scene: Scene | undefined;
  try {
    await hub.login();
    await addViewer(hub);
    scene = await setScene(hub);
    if (isForDocs) return await takeDocs(browser, hub);
    for (const view of views) await takeView(browser, hub, scene, view);
    if (only === undefined || only.includes('hub-lost') || only.includes('session-ended')) {
      await takeLosses(browser, hub);
    }
  } finally {
    scene?.close();
    await killAll();
    await hub.stop();
  }
}

const fresh = [...setupShots, ...emptyShots].map(({ name }) => name);
const ofTasks = taskShots.map(({ name }) => name);
const ofDevices = deviceShots({
  ...{ encoder: '', decoder: '', idle: '', silent: '', off: '', long: '', director: '', pending: '' },
}).map(({ name }) => name);
const ofPeople = [...peopleShots({ crew: 0, member: 0 }), ...limitShots].map(({ name }) => name);
/** Each place costs a hub, the last one also encoders. */
const isDesired = (names: readonly string[]) => !isForDocs && (only?.some((name) => names.includes(name)) ?? true);

if (folder !== undefined) mkdirSync(folder, { recursive: true });
const browser = await playwright.launch(chromium);
try {
  if (isDesired(fresh)) await takeFresh(browser);
  if (isDesired(ofPeople)) await takePeople(browser);
  if (isDesired(ofDevices)) await takeDevices(browser);
  if (isDesired(ofTasks)) await takeTasks(browser);
  if (only?.every((name) => [...fresh, ...ofPeople, ...ofDevices, ...ofTasks].includes(name)) !== true)
    await takeWorking(browser);
} finally {
  await browser.close();
}
