import type { HubProcess } from '../integration/hub-process.ts';
import { until } from '../support/until.ts';

import { axeFaults } from './axe.ts';
import { expect, test } from './console-test.ts';
import { hubAway } from './page-faults.ts';

/** Waits for the engine after the one with that id; a killed engine accepts connections for a moment longer. */
async function engineAfter(hub: HubProcess, before: number): Promise<number> {
  let pid = 0;
  const isAnother = async () => {
    pid = await hub.enginePid();
    return pid !== before;
  };
  await until(isAnother, 20_000, 'another engine runs');
  return pid;
}

test('the page waits for a hub that is killed and restarted, and the streams never stop', async ({
  page,
  hub,
  stage,
  faults,
}) => {
  const channel = await stage.liveChannel('Carries on');
  await page.goto('/#/stream/channels');
  const row = page.getByRole('row').filter({ hasText: channel.name });
  await expect(row).toContainText('Live');
  faults.expect(hubAway);
  const curtain = page.getByRole('dialog', { name: 'Connection to the hub lost' });
  await hub.kill('SIGKILL');
  await expect(curtain).toBeVisible();
  await expect(curtain).toContainText('Streams may still be running; check the output.');
  await expect(curtain).toContainText(/retrying in \d+ s/);
  expect(await axeFaults(page)).toEqual([]);
  await hub.restart();
  await expect(curtain).toHaveCount(0);
  await expect(row).toContainText('Live');
  expect(channel.encoder.child.exitCode).toBeNull();
  // The event stream is also back: new events are shown.
  const later = await stage.channel('After the restart');
  await expect(page.getByRole('row').filter({ hasText: later.name })).toBeVisible();
});

test('a hub that is stopped says that its streams end, and the page still shows their last state', async ({
  page,
  hub,
  stage,
  faults,
}) => {
  const channel = await stage.liveChannel('Stopped with the hub');
  await page.goto('/#/stream/channels');
  const row = page.getByRole('row').filter({ hasText: channel.name });
  await expect(row).toContainText('Live');
  faults.expect(hubAway);
  await hub.kill('SIGTERM');
  const curtain = page.getByRole('dialog', { name: 'The hub was stopped' });
  await expect(curtain).toContainText('All streams ended with it.');
  await channel.encoder.exited;
  await expect(page.locator('tr').filter({ hasText: channel.name })).toContainText('Live');
  expect(await axeFaults(page)).toEqual([]);
  await hub.restart();
  await expect(curtain).toHaveCount(0);
  await expect(row).toContainText('Waiting');
});

/** Parts that the console loads on demand: a page with the dialog that shares its module, a style sheet, a picture. */
for (const [part, file] of [
  ['page', '**/assets/InputListPage-*.js'],
  ['style sheet', '**/assets/LogPage-*.css'],
  ['picture', '**/assets/ThumbnailPicture-*.js'],
] as const)
  test(`a ${part} that could not be loaded is loaded again`, async ({ page, stage, faults }) => {
    faults.expect(/ThumbnailPicture|InputListPage|LogPage/);
    const channel = await stage.liveChannel('Loaded again');
    const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('/assets/'));
    await page.route(file, (route) => route.abort(), { times: 1 });
    let loads = 0;
    page.on('load', () => loads++);
    await page.goto('/#/stream/channels');
    const row = page.getByRole('row').filter({ hasText: channel.name });
    await expect(row.getByRole('img', { name: `Picture of ${channel.name}` })).toBeVisible();
    expect(loads).toBe(1);
    await page.getByRole('link', { name: 'Logs', exact: true }).click();
    await expect(page.getByRole('heading', { name: 'Logs', exact: true })).toBeVisible();
    await page.getByRole('link', { name: 'Inputs', exact: true }).click();
    await page.getByRole('button', { name: 'Add input' }).first().click();
    await expect(page.getByRole('dialog', { name: 'Add input' })).toBeVisible();
    await failed;
  });

test('a page whose module is missing is reported after one reload', async ({ page, stage, faults }) => {
  faults.expect(/LogPage/);
  await stage.liveChannel('Gone for good');
  await page.route('**/assets/LogPage-*.js*', (route) => route.abort());
  let loads = 0;
  page.on('load', () => loads++);
  await page.goto('/#/settings/logs');
  await expect(page.getByText('This page could not be shown')).toBeVisible();
  expect(loads).toBe(2);
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { name: 'Logs', exact: true })).toBeVisible();
});

test('a half-filled form is still there after the hub was down', async ({ page, hub, faults, stage }) => {
  stage.adopt('Typed before');
  await page.goto('/#/stream/channels?dialog=add');
  const dialog = page.getByRole('dialog', { name: 'Add channel' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Typed before');
  faults.expect(hubAway);
  await hub.kill('SIGKILL');
  const curtain = page.getByRole('dialog', { name: 'Connection to the hub lost' });
  await expect(curtain).toBeVisible();
  await hub.restart();
  await expect(curtain).toHaveCount(0);
  await expect(dialog.getByRole('textbox', { name: 'Name' })).toHaveValue('Typed before');
  await dialog.getByRole('button', { name: 'Add channel' }).click();
  await expect(page.getByRole('heading', { name: 'Typed before', level: 1 })).toBeVisible();
});

test('an engine that dies is shown, and the channel is live again with its encoder', async ({ page, hub, stage }) => {
  // Four engines are started, the last ones after a delay.
  test.setTimeout(90_000);
  const channel = await stage.liveChannel('Without engine');
  await page.goto('/#/dashboard');
  const onAir = page.getByRole('region', { name: 'On air' }).getByRole('link', { name: channel.name });
  await expect(onAir).toBeVisible();
  // The first restart is too quick to see; before each further one the hub waits longer.
  let engine = 0;
  for (let death = 1; death <= 4; death++) {
    engine = await engineAfter(hub, engine);
    process.kill(engine, 'SIGKILL');
  }
  await expect(page.getByText('Media engine: stopped unexpectedly')).toBeVisible();
  await expect(onAir).toHaveCount(0);
  await channel.encoder.exited;
  await engineAfter(hub, engine);
  await expect(page.getByText(/^Media engine: /)).toHaveCount(0, { timeout: 20_000 });
  const attention = page.getByRole('region', { name: 'Needs attention' });
  const replaced = attention.getByRole('listitem').filter({ hasText: 'Media engine replaced' });
  await expect(replaced).toContainText('Its process ended unexpectedly.');
  await expect(replaced).toContainText(/for \d+ s/);
  await stage.encodeAgain(channel);
  await expect(onAir).toBeVisible({ timeout: 20_000 });
});

test('a session that has ended is renewed over the page, which keeps the typed text', async ({
  page,
  context,
  faults,
  stage,
}) => {
  stage.adopt('Kept over sign-in');
  await page.goto('/#/stream/channels?dialog=add');
  const dialog = page.getByRole('dialog', { name: 'Add channel' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Kept over sign-in');
  faults.expect(/\b401\b/);
  await context.clearCookies();
  await dialog.getByRole('button', { name: 'Add channel' }).click();
  const ended = page.getByRole('dialog', { name: 'Your session has ended' });
  await expect(ended.getByRole('textbox', { name: 'Username' })).toHaveValue('Admin');
  expect(await axeFaults(page)).toEqual([]);
  await ended.getByLabel('Password', { exact: true }).fill('integration-only');
  await ended.getByRole('button', { name: 'Sign in' }).click();
  await expect(ended).toHaveCount(0);
  await expect(dialog.getByRole('textbox', { name: 'Name' })).toHaveValue('Kept over sign-in');
  await dialog.getByRole('button', { name: 'Add channel' }).click();
  await expect(page.getByRole('heading', { name: 'Kept over sign-in', level: 1 })).toBeVisible();
});
