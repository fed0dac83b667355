/** Which pictures are taken, and how a page comes into the state to be seen. Nothing here depends on the language. */
import type { Page } from '@playwright/test';
import { pngOf } from '../fixtures/pictures.ts';
import type { Scene } from './scene.ts';

export type Size = 'desk' | 'phone';

export interface Shot {
  readonly name: string;
  readonly path: string;
  /** What is done before the picture is taken. */
  readonly act?: (page: Page) => Promise<void>;
  readonly only?: Size;
  /** A second picture shows the page in its full height. */
  readonly isLong?: boolean;
}

const rowMenu = (page: Page) => page.locator('main [aria-haspopup="menu"]').first();
/** Movements are over, the last of them the loader in a button. */
const still = (page: Page) =>
  page.waitForFunction(() => document.getAnimations().every((one) => one.playState !== 'running'));
const openMenu = async (page: Page) => rowMenu(page).click();
const lastOfMenu = async (page: Page) => {
  await openMenu(page);
  await page.locator('[role="menu"]:popover-open button').last().click();
  await page.locator('[aria-modal="true"]').waitFor();
};
const confirmAnyway = async (page: Page) => {
  await lastOfMenu(page);
  await page.locator('[aria-modal="true"] button').last().click();
  await page.waitForFunction(() => document.querySelector('[data-loading="true"]') === null);
  await still(page);
};
const topMenu = (index: number) => async (page: Page) => {
  await page.locator('header [aria-haspopup="menu"]').nth(index).click();
};
const submit = async (page: Page) => page.locator('[aria-modal="true"] button[type="submit"]').click();
/** Names of protocols are the same in every language. */
const choose = (protocol: string) => async (page: Page) => {
  await page.locator('[aria-modal="true"]').getByText(protocol, { exact: true }).click();
};
const typeIn =
  (...values: [selector: string, text: string][]) =>
  async (page: Page) => {
    for (const [selector, text] of values) await page.locator(selector).first().fill(text);
  };

export function insideShots({ main, lossy, output, input, server, backed, onBackup }: Scene): Shot[] {
  const channel = `/stream/channel/detail/${main}`;
  return [
    { name: 'dashboard', path: '/dashboard', act: untilPictured, isLong: true },
    { name: 'account-menu', path: '/dashboard', act: topMenu(2) },
    { name: 'palette', path: '/dashboard', act: openPalette },
    { name: 'palette-search', path: '/dashboard', act: async (page) => searchPalette(page, 'st') },
    { name: 'language-menu', path: '/dashboard', act: topMenu(0) },
    {
      name: 'menu-drawer',
      path: '/dashboard',
      only: 'phone',
      async act(page) {
        await page.locator('header button').first().click();
        await page.locator('[aria-modal="true"] nav').waitFor();
      },
    },
    { name: 'channels', path: '/stream/channels', act: untilPictured, isLong: true },
    { name: 'channels-menu', path: '/stream/channels', act: openMenu },
    {
      name: 'channels-columns',
      path: '/stream/channels',
      only: 'desk',
      act: (page) => page.locator('main [aria-haspopup="dialog"]').click(),
    },
    { name: 'channels-none-match', path: '/stream/channels?q=nothing-like-this' },
    { name: 'channel-add', path: '/stream/channels?dialog=add' },
    {
      name: 'channel-add-faults',
      path: '/stream/channels?dialog=add',
      act: async (page) => {
        await typeIn(['[aria-modal="true"] input', 'Harbour/camera'])(page);
        await submit(page);
      },
    },
    { name: 'channel-edit', path: `/stream/channels?dialog=edit&id=${main}` },
    { name: 'channel-saved', path: `/stream/channels?dialog=edit&id=${main}`, act: saveUnchanged },
    { name: 'channel-delete', path: channel, act: lastOfMenu },
    { name: 'channel', path: channel, isLong: true },
    { name: 'channel-preview', path: `${channel}?dialog=preview`, act: untilPlaying },
    { name: 'channel-quality', path: `/stream/channel/detail/${lossy}?dialog=quality-input`, act: untilPlotted },
    { name: 'channel-renew-key', path: channel, act: (page) => page.locator('h3 + button').first().click() },
    { name: 'channel-missing', path: '/stream/channel/detail/999999' },
    { name: 'output-add-rtmp', path: `${channel}?dialog=add-output` },
    { name: 'output-add-srt', path: `${channel}?dialog=add-output`, act: choose('SRT') },
    { name: 'output-add-faults', path: `${channel}?dialog=add-output`, act: submit },
    { name: 'output-edit', path: `${channel}?dialog=edit-output&id=${output}` },
    { name: 'inputs', path: '/stream/input', isLong: true },
    { name: 'input-add-srt', path: '/stream/input?dialog=add' },
    { name: 'input-add-udp', path: '/stream/input?dialog=add', act: choose('UDP') },
    { name: 'input-add-http', path: '/stream/input?dialog=add', act: choose('HTTP/HLS') },
    { name: 'input-edit', path: `/stream/input?dialog=edit&id=${input}` },
    { name: 'input-test', path: `/stream/input?dialog=test&id=${input}`, act: untilTested },
    {
      name: 'input-test-form',
      path: `/stream/input?dialog=edit&id=${input}`,
      async act(page) {
        await page.locator('[aria-modal="true"] button[data-size="xs"]').last().click();
        await untilTested(page);
      },
    },
    { name: 'failover', path: `/stream/channel/detail/${backed}`, isLong: true },
    { name: 'failover-on-backup', path: `/stream/channel/detail/${onBackup}`, isLong: true },
    { name: 'failover-rule', path: `/stream/channel/detail/${onBackup}?dialog=failover`, act: chooseSlate },
    {
      name: 'failover-switch',
      path: `/stream/channel/detail/${backed}`,
      async act(page) {
        await page.locator('section[data-on-air="false"] button:not([aria-haspopup])').last().click();
        await page.locator('[aria-modal="true"]').waitFor();
      },
    },
    { name: 'outputs', path: '/stream/output', isLong: true },
    { name: 'output-add-rtsp', path: '/stream/output?dialog=add', act: choose('RTSP') },
    { name: 'output-delete-in-use', path: '/stream/output', act: confirmAnyway },
    { name: 'input-save-preset', path: `/stream/input?dialog=save-preset&id=${input}` },
    { name: 'input-replace-preset', path: `/stream/input?dialog=save-preset&id=${input}`, act: submit },
    { name: 'input-preset', path: '/stream/input?dialog=preset' },
    { name: 'servers', path: '/stream/server' },
    { name: 'server-add', path: '/stream/server?dialog=add' },
    { name: 'server-add-faults', path: '/stream/server?dialog=add', act: submit },
    { name: 'server-edit', path: `/stream/server?dialog=edit&id=${server}` },
    { name: 'server-output', path: `${channel}?dialog=server-output` },
    { name: 'settings', path: '/settings/general', isLong: true },
    { name: 'settings-changed', path: '/settings/general', act: changeSettings, isLong: true },
    { name: 'settings-move', path: '/settings/general', act: moveConsole },
    { name: 'logs', path: '/settings/logs', isLong: true },
    { name: 'not-found', path: '/nowhere' },
  ];
}

/** Every live channel has its picture. */
async function untilPictured(page: Page): Promise<void> {
  await page.locator('main img').first().waitFor();
  await still(page);
}

async function untilPlaying(page: Page): Promise<void> {
  await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 1);
}

async function chooseSlate(page: Page): Promise<void> {
  const dialog = page.locator('[aria-modal="true"]');
  await dialog.locator('summary').click();
  await dialog.locator('select').last().selectOption('picture');
  const picture = { name: 'slate.png', mimeType: 'image/png', buffer: Buffer.from(pngOf(640, 360)) };
  await dialog.locator('input[type="file"]').setInputFiles(picture);
  await dialog.locator('img').waitFor();
}

async function untilTested(page: Page): Promise<void> {
  await page.locator('[role="status"][data-is="done"]').waitFor();
  await still(page);
}

async function changeSettings(page: Page): Promise<void> {
  const group = (index: number) => page.locator('main form').nth(index);
  await group(0).locator('input').first().fill('1936');
  await group(1).locator('select').selectOption('32');
  await group(2).locator('input[type="checkbox"]').check();
  await group(3).locator('input[type="checkbox"]').check();
  await still(page);
}

async function untilPlotted(page: Page): Promise<void> {
  await page.locator('[aria-modal="true"] canvas').first().waitFor();
}

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.locator('[role="option"]').first().waitFor();
}

async function searchPalette(page: Page, text: string): Promise<void> {
  await openPalette(page);
  await page.locator('[role="combobox"]').fill(text);
}

/** For the message that says so. */
async function saveUnchanged(page: Page): Promise<void> {
  await submit(page);
  await page.locator('[aria-modal="true"]').waitFor({ state: 'detached' });
  await page.locator('[data-tone="success"]').waitFor();
}

async function moveConsole(page: Page): Promise<void> {
  const web = page.locator('main form').nth(3);
  await web.locator('input').first().fill('8881');
  await web.locator('button[type="submit"]').click();
  await page.locator('[aria-modal="true"]').waitFor();
}

/** Of a hub that nobody has set up yet. */
export const setupShots: readonly Shot[] = [
  { name: 'setup', path: '/setup' },
  {
    name: 'setup-faults',
    path: '/setup',
    async act(page) {
      await typeIn(['input[autocomplete="new-password"]', 'short'])(page);
      await page.locator('button[type="submit"]').click();
    },
  },
];

export const signInShots: readonly Shot[] = [
  { name: 'sign-in', path: '/login' },
  {
    name: 'sign-in-faults',
    path: '/login',
    async act(page) {
      await typeIn(
        ['input[autocomplete="username"]', 'Admin'],
        ['input[autocomplete="current-password"]', 'wrong'],
      )(page);
      await page.locator('button[type="submit"]').click();
      await page.locator('[role="alert"]').waitFor();
      await still(page);
    },
  },
];

/** Of a hub without channels, and without a part. */
export const emptyShots: readonly Shot[] = [
  { name: 'dashboard-empty', path: '/dashboard' },
  { name: 'channels-empty', path: '/stream/channels' },
  { name: 'inputs-empty', path: '/stream/input' },
  { name: 'outputs-empty', path: '/stream/output' },
  { name: 'servers-empty', path: '/stream/server' },
];

/** As somebody who may only look. */
export function viewerShots({ main }: Scene): Shot[] {
  return [
    { name: 'viewer-channel', path: `/stream/channel/detail/${main}`, isLong: true },
    { name: 'viewer-settings', path: '/settings/general' },
    { name: 'viewer-no-permission', path: '/settings/logs' },
  ];
}
