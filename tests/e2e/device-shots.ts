/** Screenshots of devices: their lists, and every part of their pages. */
import type { Page } from '@playwright/test';
import type { DeviceScene } from './device-scene.ts';
import { inDialog, openMenu, type Shot, still, submit } from './shot.ts';

export function deviceShots(scene: Omit<DeviceScene, 'hub' | 'close'>): Shot[] {
  const page = (sn: string, tab = '') => `/device/detail/${sn}${tab === '' ? '' : `?tab=${tab}`}`;
  const anHour = { before: fillHistory, isLong: true };
  return [
    { name: 'devices', path: '/devices/all', act: untilPictured, isLong: true },
    { name: 'devices-encoders', path: '/devices/all?kind=encoders', act: untilPictured },
    { name: 'devices-decoders', path: '/devices/all?kind=decoders' },
    { name: 'devices-pending', path: '/devices/pending' },
    { name: 'device-encoder', path: page(scene.encoder), act: untilPictured, ...anHour },
    { name: 'device-decoder', path: page(scene.decoder), ...anHour },
    { name: 'device-idle', path: page(scene.idle), isLong: true },
    { name: 'device-no-signal', path: page(scene.silent), isLong: true },
    { name: 'device-off', path: page(scene.off), isLong: true },
    { name: 'device-long-name', path: page(scene.long), act: untilPictured, isLong: true },
    { name: 'device-director', path: page(scene.director), isLong: true },
    { name: 'device-director-streams', path: page(scene.director, 'streams') },
    { name: 'devices-add-director', path: '/devices/all', act: chooseDirector },
    { name: 'device-pending', path: page(scene.pending) },
    ...firmwareShots,
    { name: 'alarms-devices', path: '/alarms', before: (browser) => deviceAlarms(browser, scene) },
    { name: 'device-missing', path: page('none') },
    { name: 'device-network', path: page(scene.encoder, 'network') },
    { name: 'device-streams', path: page(scene.encoder, 'streams'), isLong: true },
    { name: 'device-storage', path: page(scene.encoder, 'storage') },
    { name: 'device-log', path: page(scene.silent, 'log'), isLong: true },
    { name: 'device-connection', path: `${page(scene.encoder)}?dialog=connection&id=200001`, act: ownSettings },
    { name: 'device-visibility', path: `${page(scene.encoder)}?dialog=security&id=200001` },
    { name: 'device-actions', path: page(scene.encoder), act: openHeadMenu },
    { name: 'device-restart', path: `${page(scene.encoder)}?dialog=reboot`, act: still },
    { name: 'device-rename', path: `${page(scene.encoder)}?dialog=rename` },
    { name: 'devices-bulk-actions', path: '/devices/all', act: selectAll },
    { name: 'devices-bulk-restart', path: '/devices/all', act: async (at) => bulkDialog(at, 1) },
    { name: 'devices-bulk-rename', path: '/devices/all', act: async (at) => bulkDialog(at, 0) },
    // The last of these: devices record afterwards.
    { name: 'devices-bulk-results', path: '/devices/all', act: bulkResults },
    { name: 'device-settings', path: '/settings/devices' },
    { name: 'device-settings-connection', path: '/settings/devices?dialog=connection' },
    { name: 'channel-decoders', path: '/stream/channel/detail/100001', isLong: true },
    { name: 'channel-input-device', path: '/stream/channel/detail/100001?dialog=device', act: chooseDevice },
    { name: 'channel-send-to-decoder', path: '/stream/channel/detail/100001?dialog=decoder' },
    { name: 'forwards', path: '/portforward', isLong: true },
    { name: 'forward-add', path: '/portforward?dialog=add-forward', act: typeWrongPorts },
    { name: 'forward-edit', path: '/portforward?dialog=edit-forward&id=1' },
    { name: 'forward-ports', path: '/portforward?dialog=forward-ports&id=1' },
    { name: 'forward-menu', path: '/portforward', act: openMenu },
    { name: 'schedules', path: '/schedules', isLong: true },
    { name: 'schedule-add', path: '/schedules?dialog=add', act: submit, isLong: true },
    { name: 'schedule-edit', path: '/schedules?dialog=edit&id=2', isLong: true },
    { name: 'schedule-once', path: '/schedules?dialog=edit&id=4' },
    { name: 'schedule-run', path: '/schedules?dialog=run&id=1' },
    { name: 'schedule-menu', path: '/schedules', act: openMenu },
    { name: 'device-security', path: page(scene.encoder, 'security'), isLong: true },
  ];
}

const chooseFirmware = (name: string, shot: (page: Page) => Promise<void>) => async (page: Page) => {
  const chooser = page.waitForEvent('filechooser');
  await page.locator('main button:has(.tabler-icon-upload)').first().click();
  await (await chooser).setFiles([{ name, mimeType: 'application/octet-stream', buffer: Buffer.from('x') }]);
  await inDialog(page).waitFor();
  await shot(page);
};

const firmwareShots: readonly Shot[] = [
  { name: 'firmware', path: '/settings/firmware', isLong: true },
  {
    name: 'firmware-upgrade',
    path: '/settings/firmware?dialog=upgrade&id=2',
    act: (page) => inDialog(page).locator('li').first().waitFor(),
  },
  { name: 'firmware-details', path: '/settings/firmware?dialog=details&id=2' },
  {
    name: 'firmware-asked',
    path: '/settings/firmware',
    act: chooseFirmware('ultra_encode_aio_gen2_rev_b_2_6_1.mwf', still),
  },
  {
    name: 'firmware-unknown',
    path: '/settings/firmware',
    async act(page) {
      await chooseFirmware('latest-beta.mwf', still)(page);
      await page.locator('[aria-modal="true"] button[type="submit"]').click();
    },
  },
  {
    name: 'firmware-replaced',
    path: '/settings/firmware',
    act: chooseFirmware('firmware-787-0-B-2.4.288.mwf', still),
  },
  {
    name: 'firmware-menu',
    path: '/settings/firmware',
    act: (page) => page.locator('main [aria-haspopup="menu"]').last().click(),
  },
];

async function openHeadMenu(page: Page): Promise<void> {
  await page.locator('main [aria-haspopup="menu"]').first().click();
}

async function selectAll(page: Page): Promise<void> {
  const boxes = page.locator('main input[type="checkbox"][aria-label]');
  await boxes.first().waitFor();
  // In a table, the first one chooses all rows; cards have no such box.
  const isTable = (page.viewportSize()?.width ?? 0) > 640;
  for (const box of isTable ? [boxes.first()] : await boxes.all()) await box.click();
  await page.locator('main section [aria-haspopup="menu"]').last().click();
  await page.locator('[role="menu"]:popover-open button').first().waitFor();
}

async function bulkDialog(page: Page, item: number): Promise<void> {
  await selectAll(page);
  await page.locator('[role="menu"]:popover-open button:not([aria-disabled="true"])').nth(item).click();
  await page.locator('[aria-modal="true"]').waitFor();
  await still(page);
}

async function bulkResults(page: Page): Promise<void> {
  await bulkDialog(page, 2);
  await page.locator('[aria-modal="true"] button').last().click();
  await page.locator('[aria-modal="true"] progress').waitFor();
  await page.waitForFunction(() => document.querySelector('[aria-modal="true"] .tabler-icon-progress') === null);
  await still(page);
}

async function ownSettings(page: Page): Promise<void> {
  await page.locator('[aria-modal="true"] input[type="checkbox"]').first().click();
}

async function typeWrongPorts(page: Page): Promise<void> {
  await page.locator('[aria-modal="true"] select').first().selectOption({ index: 2 });
  const [device, hub] = [0, 1].map((at) => page.locator('[aria-modal="true"] input[inputmode="numeric"]').nth(at));
  await device?.fill('23');
  await hub?.fill('8071');
}

async function chooseDirector(page: Page): Promise<void> {
  await page.locator('main button:has(.tabler-icon-plus)').first().click();
  await page.locator('[aria-modal="true"] select').first().selectOption('v1');
}

async function chooseDevice(page: Page): Promise<void> {
  await page.locator('[aria-modal="true"] input[type="radio"]:enabled').first().click();
}

/** Alarms of devices with their reasons, for which the hub would wait a minute. */
async function deviceAlarms(page: Page, { off, silent }: Pick<DeviceScene, 'off' | 'silent'>): Promise<void> {
  const raised = Date.now() - 300_000;
  const alarm = { severity: 'critical', channel: 0, raised, cleared: 0, threshold: 60, peak: 300 };
  const list = [
    { ...alarm, id: 1, kind: 'device-offline', name: 'Truck', device: off, reason: 'unreachable' },
    { ...alarm, id: 2, kind: 'device-problem', name: 'Main hall camera', device: silent, reason: 'certificateChanged' },
    { ...alarm, id: 3, kind: 'device-no-signal', severity: 'warning', name: 'Main hall camera', device: silent },
    { ...alarm, id: 4, kind: 'device-offline', name: '', threshold: 20, peak: 34 },
  ];
  await page.route(/\/api\/alarm\/list/, (route) => route.fulfill({ json: { result: 0, total: list.length, list } }));
}

async function untilPictured(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    [...document.querySelectorAll<HTMLImageElement>('main img')].some(({ naturalWidth }) => naturalWidth > 0),
  );
}

/** An hour of figures, which would take the hub an hour to collect, with 8 minutes without any. */
async function fillHistory(page: Page): Promise<void> {
  const steps = 360;
  const isKnown = (at: number) => at < 210 || at > 258;
  const series = (value: (at: number) => number) =>
    Array.from({ length: steps }, (_, at) => (isKnown(at) ? Math.round(value(at) * 10) / 10 : null));
  await page.route(/\/api\/device\/query\?.*history=1/, async (route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as { dev: object };
    const wave = (at: number, length: number) => Math.sin((at / length) * Math.PI);
    const history = {
      ...{ 'step-s': 10, end: Math.floor(Date.now() / 10_000) * 10_000 },
      cpu: series((at) => 38 + 9 * wave(at, 31) + 5 * wave(at, 7)),
      temperature: series((at) => 51 + 4 * wave(at, 300)),
      'rx-kbps': series(() => 380),
      'tx-kbps': series((at) => 6300 + 200 * wave(at, 5)),
      'stream-kbps': series((at) => (at < 40 ? 0 : 6000 + 180 * wave(at, 5) + 90 * wave(at, 2))),
    };
    await route.fulfill({ json: { ...answer, dev: { ...answer.dev, history } } });
  });
}
