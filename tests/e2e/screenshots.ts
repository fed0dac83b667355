/**
 * Pictures of every page, to be looked at: `bun tests/e2e/screenshots.ts <folder> <address> [user] [password] [filter]`.
 * Both languages, both schemes, desk and phone.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type Page, chromium as playwright } from '@playwright/test';
import { chromium } from './browser.ts';

const [folder, address = 'http://127.0.0.1:8890', user = 'Admin', password = 'Signal-box1', filter = ''] =
  process.argv.slice(2);
if (folder === undefined) throw new Error('usage: screenshots.ts <folder> [address] [user] [password] [filter]');
mkdirSync(folder, { recursive: true });

const sizes = { desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };
const languages = { en: 'en-GB', zh: 'zh-CN' };

interface Shot {
  readonly name: string;
  readonly path: string;
  readonly act?: (page: Page) => Promise<void>;
}

const clickFirst = (selector: string) => async (page: Page) => {
  await page.locator(selector).first().click();
};

const shots: readonly Shot[] = [
  { name: 'dashboard', path: '/dashboard' },
  { name: 'channels', path: '/stream/channels' },
  {
    name: 'channels-menu',
    path: '/stream/channels',
    act: clickFirst('main li [aria-haspopup=menu], td [aria-haspopup=menu]'),
  },
  { name: 'channels-none-match', path: '/stream/channels?q=nothing-like-this' },
  { name: 'channel-add', path: '/stream/channels?dialog=add' },
  { name: 'channel', path: '@first-channel' },
  { name: 'channel-output-add', path: '@first-channel?dialog=add-output' },
  { name: 'inputs', path: '/stream/input' },
  { name: 'outputs', path: '/stream/output' },
  { name: 'settings', path: '/settings/general' },
  { name: 'logs', path: '/settings/logs' },
  { name: 'not-found', path: '/nowhere' },
];

async function session(
  browser: Browser,
  language: keyof typeof languages,
  scheme: 'light' | 'dark',
  size: keyof typeof sizes,
) {
  const context = await browser.newContext({
    viewport: sizes[size],
    locale: languages[language],
    colorScheme: scheme,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const name = (shot: string) => join(folder ?? '.', `${shot}.${size}.${scheme}.${language}.png`);
  await page.goto(`${address}/#/login`);
  await page.locator('input[autocomplete=username]').waitFor();
  if ('sign-in'.includes(filter)) await page.screenshot({ path: name('sign-in') });
  await page.locator('input[autocomplete=username]').fill(user);
  await page.locator('input[autocomplete=current-password]').fill(password);
  await page.locator('button[type=submit]').click();
  await page.locator('main h1').waitFor();
  const first = await firstChannel(page);
  for (const shot of shots) {
    if (!shot.name.includes(filter)) continue;
    await page.goto(`${address}/#${shot.path.replace('@first-channel', first)}`);
    await page.locator('main h1').waitFor();
    await shot.act?.(page);
    // Two messages of the event stream: numbers are there and have moved.
    await page.waitForTimeout(1300);
    await page.screenshot({ path: name(shot.name) });
    if (size === 'phone' || shot.name === 'channel') {
      const height = await page.evaluate(() => document.querySelector('main')?.scrollHeight ?? 0);
      await page.setViewportSize({ width: sizes[size].width, height: Math.max(sizes[size].height, height + 60) });
      await page.screenshot({ path: name(`${shot.name}-whole`) });
      await page.setViewportSize(sizes[size]);
    }
  }
  await context.close();
}

async function firstChannel(page: Page): Promise<string> {
  const id = await page.evaluate(async () => {
    const response = await fetch('/api/channel/dashboard');
    return ((await response.json()) as { list: { id: number }[] }).list[0]?.id;
  });
  return `/stream/channel/detail/${id}`;
}

const only = process.env.ONLY?.split('.');
const browser = await playwright.launch(chromium);
for (const language of ['en', 'zh'] as const) {
  for (const scheme of ['dark', 'light'] as const) {
    for (const size of ['desk', 'phone'] as const) {
      if (only === undefined || [size, scheme, language].every((word, at) => only[at] === word || only[at] === '*')) {
        await session(browser, language, scheme, size);
      }
    }
  }
}
await browser.close();
