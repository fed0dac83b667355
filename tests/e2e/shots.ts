/** The list of screenshots. */
import type { Page } from '@playwright/test';
import { pngOf } from '../fixtures/pictures.ts';
import { formShots } from './form-shots.ts';
import { logShots } from './log-shots.ts';
import type { Scene } from './scene.ts';
import {
  confirmAnyway,
  fill,
  inDialog,
  lastOfMenu,
  meanwhile,
  openMenu,
  type Shot,
  still,
  submit,
  topMenu,
  typeIn,
  untilStale,
} from './shot.ts';

export function insideShots(scene: Scene): Shot[] {
  const { main, lossy, udpOutput, backed, onBackup, crowded } = scene;
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
    { name: 'channel-duplicate', path: `/stream/channels?dialog=duplicate&id=${main}` },
    { name: 'channel-edit', path: `/stream/channels?dialog=edit&id=${main}` },
    { name: 'channel-saved', path: `/stream/channels?dialog=edit&id=${main}`, act: saveUnchanged },
    { name: 'channel-stale', path: `/stream/channels?dialog=edit&id=${main}`, act: saveTooLate(main) },
    { name: 'channel-delete', path: channel, act: lastOfMenu },
    { name: 'channel', path: channel, isLong: true },
    { name: 'channel-preview', path: `${channel}?dialog=preview`, act: untilPlaying },
    { name: 'channel-quality', path: `/stream/channel/detail/${lossy}?dialog=quality-input`, act: untilPlotted },
    { name: 'channel-quality-output', path: `${channel}?dialog=quality-output&id=${udpOutput}`, act: untilPlotted },
    { name: 'channel-alarms', path: `${channel}?dialog=alarms` },
    {
      name: 'channel-alarms-faults',
      path: `${channel}?dialog=alarms`,
      async act(page) {
        await inDialog(page).locator('input:not([type="checkbox"]):enabled').first().fill('0');
        await submit(page);
      },
    },
    { name: 'channel-input', path: `${channel}?dialog=input` },
    { name: 'channel-no-backup', path: `${channel}?dialog=failover` },
    { name: 'channel-crowded', path: `/stream/channel/detail/${crowded}`, isLong: true },
    { name: 'channel-renew-key', path: channel, act: renewKey },
    { name: 'channel-missing', path: '/stream/channel/detail/999999' },
    { name: 'inputs', path: '/stream/input', isLong: true },
    { name: 'inputs-loading', path: '/stream/input', before: holdInputs, isWaiting: true },
    { name: 'inputs-error', path: '/stream/input', before: failInputs },
    ...formShots(scene),
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
    { name: 'output-delete-in-use', path: '/stream/output', act: confirmAnyway },
    { name: 'servers', path: '/stream/server' },
    { name: 'settings', path: '/settings/general', isLong: true },
    { name: 'settings-changed', path: '/settings/general', act: changeSettings, isLong: true },
    { name: 'settings-stale', path: '/settings/general', act: saveSettingsTooLate },
    { name: 'settings-webhook', path: '/settings/general', act: testWebhook, isLong: true },
    { name: 'settings-move', path: '/settings/general', act: moveConsole },
    { name: 'about', path: '/settings/about', isLong: true },
    { name: 'profile', path: '/settings/profile', isLong: true },
    {
      name: 'profile-password',
      path: '/settings/profile?dialog=password',
      act: typeIn(['input[autocomplete="new-password"]', 'short']),
    },
    { name: 'keys', path: '/settings/profile?dialog=keys' },
    { name: 'session-note', path: '/stream/channels?dialog=add', before: nearEnd, act: untilWarned },
    ...logShots,
    { name: 'not-found', path: '/nowhere' },
  ];
}

const inputCalls = '**/api/input/**';

/** As if the user had been inactive for a while. */
async function nearEnd(page: Page): Promise<void> {
  await page.route('**/api/session', async (route) => {
    const answer = await (await route.fetch()).json();
    await route.fulfill({ json: { ...answer, 'expires-in': 95 } });
  });
}

const untilWarned = (page: Page) => page.locator('[role="timer"]').waitFor();

async function holdInputs(page: Page): Promise<void> {
  await page.route(inputCalls, () => undefined);
}

async function failInputs(page: Page): Promise<void> {
  await page.route(inputCalls, (route) => route.fulfill({ json: { result: 13 } }));
}

/** Every live channel has its thumbnail. */
async function untilPictured(page: Page): Promise<void> {
  await page.locator('main img').first().waitFor();
  await still(page);
}

async function untilPlaying(page: Page): Promise<void> {
  await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 1);
}

async function chooseSlate(page: Page): Promise<void> {
  const dialog = inDialog(page);
  await dialog.locator('summary').click();
  await dialog.locator('select').last().selectOption('picture');
  const picture = { name: 'slate.png', mimeType: 'image/png', buffer: Buffer.from(pngOf(640, 360)) };
  await dialog.locator('input[type="file"]').setInputFiles(picture);
  await dialog.locator('img').waitFor();
}

function saveTooLate(id: number) {
  return async (page: Page) => {
    await fill({ playKey: 'harbour-front-row' })(page);
    const preferring = (prefer: number): [string, object] => [
      '/api/channel/set',
      { id, config: { protocol: { prefer } } },
    ];
    await meanwhile(page, preferring(2), preferring(1));
    await submit(page);
    await untilStale(page);
  };
}

async function saveSettingsTooLate(page: Page): Promise<void> {
  const group = page.locator('main form').first();
  const port = Number(await group.locator('input').first().inputValue());
  await group.locator('input').first().fill('1936');
  await meanwhile(page, ['/api/settings/set', { rtmp: { port } }]);
  await group.locator('button[type="submit"]').click();
  await untilStale(page);
}

async function changeSettings(page: Page): Promise<void> {
  const group = (index: number) => page.locator('main form').nth(index);
  await group(0).locator('input').first().fill('1936');
  await group(1).locator('select').selectOption('32');
  await group(2).locator('input[type="checkbox"]').check();
  await group(3).locator('[data-path="length"]').fill('10');
  await group(4).locator('input[type="checkbox"]').check();
  await group(5).locator('input[type="checkbox"]').check();
  await group(6).locator('label').last().click();
  await group(8).locator('input[type="checkbox"]').first().check();
  await still(page);
}

async function untilPlotted(page: Page): Promise<void> {
  await page.locator('[aria-modal="true"] canvas').first().waitFor();
}

async function renewKey(page: Page): Promise<void> {
  await page.locator('button[aria-expanded="false"]').first().click();
  await page.locator('h3 + button').first().click();
  await inDialog(page).waitFor();
}

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.locator('[role="option"]').first().waitFor();
}

async function searchPalette(page: Page, text: string): Promise<void> {
  await openPalette(page);
  await page.locator('[role="combobox"]').fill(text);
}

/** For the message about an unchanged form. */
async function saveUnchanged(page: Page): Promise<void> {
  await submit(page);
  await page.locator('[aria-modal="true"]').waitFor({ state: 'detached' });
  await page.locator('[data-tone="success"]').waitFor();
}

async function moveConsole(page: Page): Promise<void> {
  const web = page.locator('main form').nth(6);
  await web.locator('input').first().fill('8881');
  await web.locator('button[type="submit"]').click();
  await page.locator('[aria-modal="true"]').waitFor();
}

/** The discard port refuses it. */
async function testWebhook(page: Page): Promise<void> {
  const outgoing = page.locator('main form').nth(7);
  const mayBePrivate = outgoing.locator('input[type="checkbox"]').last();
  if (!(await mayBePrivate.isChecked())) {
    await mayBePrivate.check();
    await outgoing.locator('button[type="submit"]').click();
  }
  const webhook = page.locator('main form').nth(8);
  const address = webhook.locator('[data-path="url"]');
  if ((await address.inputValue()) === '') {
    await address.fill('http://127.0.0.1:9/alarms');
    await webhook.locator('button[type="submit"]').click();
  }
  await webhook.locator('button[data-size="xs"]').click();
  await page.waitForFunction(() => document.querySelector('main form [role="status"]')?.textContent !== '');
  await still(page);
}

/** Of a hub that has not been set up yet. */
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

/** Of a hub without channels, and with a missing part. */
export const emptyShots: readonly Shot[] = [
  { name: 'dashboard-empty', path: '/dashboard' },
  { name: 'channels-empty', path: '/stream/channels' },
  { name: 'inputs-empty', path: '/stream/input' },
  { name: 'outputs-empty', path: '/stream/output' },
  { name: 'servers-empty', path: '/stream/server' },
];

/** For a user with view permission only. */
export function viewerShots({ main, onBackup }: Scene): Shot[] {
  return [
    { name: 'viewer-dashboard', path: '/dashboard' },
    { name: 'viewer-channels', path: '/stream/channels' },
    { name: 'viewer-inputs', path: '/stream/input' },
    { name: 'viewer-outputs', path: '/stream/output' },
    { name: 'viewer-servers', path: '/stream/server' },
    { name: 'viewer-failover', path: `/stream/channel/detail/${onBackup}`, isLong: true },
    { name: 'viewer-channel', path: `/stream/channel/detail/${main}`, isLong: true },
    { name: 'viewer-settings', path: '/settings/general' },
    { name: 'viewer-no-permission', path: '/settings/logs' },
  ];
}
