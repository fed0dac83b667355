import type { HubProcess } from '../integration/hub-process.ts';
import { until } from '../support/until.ts';

import { axeFaults } from './axe.ts';
import { expect, test } from './console-test.ts';
import { hubAway } from './page-faults.ts';

/** Waits for the engine that follows the one of that id; one that was killed takes connections for a moment longer. */
async function engineAfter(hub: HubProcess, before: number): Promise<number> {
  let pid = 0;
  const isAnother = async () => {
    pid = await hub.enginePid();
    return pid !== before;
  };
  await until(isAnother, 20_000, 'another engine runs');
  return pid;
}

test('a hub that is killed and started again is waited for, and the streams never stopped', async ({
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
  const curtain = page.getByRole('dialog', { name: 'The hub does not answer' });
  await hub.kill('SIGKILL');
  await expect(curtain).toBeVisible();
  await expect(curtain).toContainText(/next attempt in \d+ s/);
  expect(await axeFaults(page)).toEqual([]);
  await hub.restart();
  await expect(curtain).toHaveCount(0);
  await expect(row).toContainText('Live');
  expect(channel.encoder.child.exitCode).toBeNull();
  // The event stream is back too: what happens from now on is shown.
  const later = await stage.channel('After the restart');
  await expect(page.getByRole('row').filter({ hasText: later.name })).toBeVisible();
});

test('a half-filled form is still there after the hub was away', async ({ page, hub, faults, stage }) => {
  stage.adopt('Typed before');
  await page.goto('/#/stream/channels?dialog=add');
  const dialog = page.getByRole('dialog', { name: 'Add channel' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Typed before');
  faults.expect(hubAway);
  await hub.kill('SIGKILL');
  const curtain = page.getByRole('dialog', { name: 'The hub does not answer' });
  await expect(curtain).toBeVisible();
  await hub.restart();
  await expect(curtain).toHaveCount(0);
  await expect(dialog.getByRole('textbox', { name: 'Name' })).toHaveValue('Typed before');
  await dialog.getByRole('button', { name: 'Add channel' }).click();
  await expect(page.getByRole('row').filter({ hasText: 'Typed before' })).toBeVisible();
});

test('an engine that dies is named, and the channel is live again with its encoder', async ({ page, hub, stage }) => {
  // Four engines are started, the last ones after a wait.
  test.setTimeout(90_000);
  const channel = await stage.liveChannel('Without engine');
  await page.goto('/#/dashboard');
  const onAir = page.getByRole('region', { name: 'On air' }).getByRole('link', { name: channel.name });
  await expect(onAir).toBeVisible();
  // The first restart is too quick to be seen; before each further one the hub waits longer.
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
  await expect(replaced).toContainText(/Since \d/);
  await stage.encodeAgain(channel);
  await expect(onAir).toBeVisible({ timeout: 20_000 });
});

test('a session that has ended is renewed over the page, which keeps what was typed', async ({
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
  await expect(ended.getByRole('textbox', { name: 'User name' })).toHaveValue('Admin');
  expect(await axeFaults(page)).toEqual([]);
  await ended.getByLabel('Password', { exact: true }).fill('integration-only');
  await ended.getByRole('button', { name: 'Sign in' }).click();
  await expect(ended).toHaveCount(0);
  await expect(dialog.getByRole('textbox', { name: 'Name' })).toHaveValue('Kept over sign-in');
  await dialog.getByRole('button', { name: 'Add channel' }).click();
  await expect(page.getByRole('row').filter({ hasText: 'Kept over sign-in' })).toBeVisible();
});
