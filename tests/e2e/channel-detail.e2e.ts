import type { Page } from '@playwright/test';
import { record } from '../integration/live-media.ts';
import { leasePort } from '../support/ports.ts';
import { until } from '../support/until.ts';
import { axeFaults } from './axe.ts';
import { expect, test } from './console-test.ts';
import { encode, type StagedChannel } from './stage.ts';
import { receiveUdp } from './udp-receiver.ts';

const detail = (channel: StagedChannel) => `/#/stream/channel/detail/${channel.id}`;
const outputs = (page: Page) => page.getByRole('region', { name: 'Outputs', exact: true });
const rate = /[1-9]\d*(\.\d+)?\s*[kM]b\/s/;

/** By keyboard: for the mouse a switch is its track, which is not a control. */
async function flip(page: Page, name: string): Promise<void> {
  await page.getByRole('switch', { name }).press('Space');
}

for (const [kind, urlOf] of [
  ['RTMP', (channel: StagedChannel) => channel.pushUrl],
  ['SRT', (channel: StagedChannel) => channel.srtPushUrl],
] as const) {
  test(`a push over ${kind} is shown as live, with its picture and bitrate`, async ({ page, stage }) => {
    const channel = await stage.channel('Pushed');
    await page.goto(detail(channel));
    await expect(page.getByRole('heading', { name: channel.name, level: 1 })).toBeVisible();
    const input = page.getByRole('region', { name: 'Input' });
    await expect(input).toContainText('Waiting');
    encode(urlOf(channel));
    await expect(input).toContainText('Running');
    await expect(page.getByRole('main').getByText('Live', { exact: true })).toBeVisible();
    await expect(input).toContainText(kind);
    await expect(input).toContainText(/320×180 · 25 fps · H\.264/);
    await expect(input).toContainText('AAC · 48 kHz · 2 ch');
    await expect(page.getByRole('listitem').filter({ hasText: /^Received/ })).toContainText(rate);
    await expect(page.getByRole('img', { name: /^Bitrate received: .*b\/s/ })).toBeVisible();
  });
}

test('an output is added with the form, runs, is edited, switched off and deleted', async ({ page, stage }) => {
  const receiver = await receiveUdp();
  const channel = await stage.liveChannel('To the rack');
  await page.goto(detail(channel));
  await outputs(page).getByRole('button', { name: 'Add output' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add output' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Rack 4');
  await dialog.getByText('UDP', { exact: true }).click();
  await dialog.getByRole('textbox', { name: 'Host or multicast group' }).fill('300.1.1.1');
  await dialog.getByRole('textbox', { name: 'Port' }).fill(String(receiver.port));
  await dialog.getByRole('button', { name: 'Add output' }).click();
  await expect(dialog.getByText('Enter an IP address or a host name')).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Host or multicast group' }).fill('127.0.0.1');
  await dialog.getByRole('button', { name: 'Add output' }).click();
  await expect(dialog).toHaveCount(0);

  const row = (name: string) => outputs(page).getByRole('row').filter({ hasText: name });
  // The channel is live: nothing is sent before somebody says so.
  await expect(page.getByRole('switch', { name: 'Send to Rack 4' })).not.toBeChecked();
  await flip(page, 'Send to Rack 4');
  await expect(row('Rack 4')).toContainText('Running');
  await expect(row('Rack 4')).toContainText(rate);
  await until(() => receiver.bytes() > 50_000, 10_000, 'packets arrive at the receiver');

  await page.getByRole('button', { name: 'More actions for Rack 4' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit output “Rack 4”' });
  await expect(edit.getByRole('textbox', { name: 'Port' })).toHaveValue(String(receiver.port));
  await edit.getByRole('textbox', { name: 'Name' }).fill('Rack 5');
  await edit.getByRole('button', { name: 'Save' }).click();
  await expect(edit).toHaveCount(0);
  await expect(row('Rack 5')).toContainText('Running');

  await flip(page, 'Send to Rack 5');
  await expect(row('Rack 5')).toContainText('Stopped');
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await expect(row('Rack 5')).toContainText('Running');

  await page.getByRole('button', { name: 'More actions for Rack 5' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page
    .getByRole('dialog', { name: 'Delete output “Rack 5”?' })
    .getByRole('button', { name: 'Delete output' })
    .click();
  await expect(row('Rack 5')).toHaveCount(0);
  await expect(page.getByText('“Rack 5” was deleted.')).toBeVisible();
  receiver.close();
});

test('an output that cannot connect shows why and when it retries', async ({ page, stage }) => {
  const channel = await stage.liveChannel('To nowhere');
  await stage.output(channel, 'Closed port', { url: 'rtmp://127.0.0.1:9/live', key: 'k' });
  await page.goto(detail(channel));
  const row = outputs(page).getByRole('row').filter({ hasText: 'Closed port' });
  await expect(row).toContainText('Connection refused');
  await expect(row).toContainText(/retrying in \d+ s/);
});

test('addresses can be copied, and keys are shown on demand, which is logged', async ({
  page,
  context,
  stage,
  hub,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const channel = await stage.channel('Addressed');
  const key = channel.pushUrl.split('/').at(-1) ?? '';
  await page.goto(detail(channel));
  const panel = page.getByRole('region', { name: 'Addresses and keys' });
  await expect(panel).toContainText('••••••••');
  await expect(panel).not.toContainText(key);
  await panel.getByRole('button', { name: 'Copy RTMP push address' }).click();
  await expect(panel.getByRole('button', { name: 'Copied' })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(channel.pushUrl);
  await panel.getByRole('button', { name: 'Show the keys' }).click();
  await expect(panel).toContainText(channel.pushUrl);
  await panel.getByRole('button', { name: 'Hide the keys' }).click();
  await expect(panel).not.toContainText(key);
  const { list } = await hub.api<{ list: { action: string }[] }>(
    `/api/log/list?key=${encodeURIComponent(channel.name)}`,
  );
  expect(list.filter(({ action }) => action === 'channel.reveal')).toHaveLength(1);
});

test('the stored push key is hidden in the form until the user shows it', async ({ page, stage }) => {
  const channel = await stage.channel('Edited with a key');
  const key = channel.pushUrl.split('/').at(-1) ?? '';
  await page.goto(`${detail(channel)}?dialog=edit`);
  const dialog = page.getByRole('dialog', { name: `Edit “${channel.name}”` });
  const field = dialog.getByLabel('Push key', { exact: true });
  await expect(field).toHaveAttribute('type', 'password');
  expect(await axeFaults(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Show or hide the push key' }).press('Enter');
  await expect(field).toHaveAttribute('type', 'text');
  await expect(field).toHaveValue(key);
});

test.describe('as a viewer', () => {
  test.use({ account: 'viewer' });
  test('the play addresses are shown, and in place of the push key the reason why it is not', async ({
    page,
    stage,
  }) => {
    const channel = await stage.channel('Viewed');
    await page.goto(detail(channel));
    const panel = page.getByRole('region', { name: 'Addresses and keys' });
    await expect(panel).toContainText('Only users who may edit channels can see the push key.');
    await panel.getByRole('button', { name: 'Show the keys' }).click();
    await expect(panel).toContainText(channel.playUrl);
    await expect(panel).not.toContainText(channel.pushUrl.split('/').at(-1) ?? '');
    expect(await axeFaults(page)).toEqual([]);
  });
});

test('a renewed key disconnects clients with the old one', async ({ page, stage }) => {
  const channel = await stage.liveChannel('Renewed');
  await page.goto(detail(channel));
  const key = channel.pushUrl.split('/').at(-1) ?? '';
  const panel = page.getByRole('region', { name: 'Addresses and keys' });
  await panel.getByRole('button', { name: 'Show addresses' }).click();
  await panel.getByRole('button', { name: 'Show the keys' }).click();
  await expect(panel).toContainText(key);
  await panel.getByRole('button', { name: 'Regenerate push key' }).click();
  const confirm = page.getByRole('dialog', { name: `Regenerate the push key of “${channel.name}”?` });
  await expect(confirm).toContainText(/The encoder at 127\.0\.0\.1\S* will be disconnected/);
  await confirm.getByRole('button', { name: 'Regenerate key' }).click();
  await expect(panel).not.toContainText(key);
  await expect(page.getByRole('region', { name: 'Input' })).toContainText('Waiting');
  await channel.encoder.exited;
});

test('players are listed while they watch', async ({ page, stage }, testInfo) => {
  const channel = await stage.liveChannel('Watched');
  await page.goto(detail(channel));
  const players = page.getByRole('region', { name: 'Players' });
  await expect(players).toContainText('No players connected');
  const player = record(channel.playUrl, testInfo.outputPath('watched.mkv'));
  const row = players.getByRole('row').filter({ hasText: '127.0.0.1' });
  await expect(row).toContainText('RTMP');
  await expect(row).toContainText(rate);
  await expect(row).toContainText('Play key');
  const addresses = page.getByRole('region', { name: 'Addresses and keys' });
  await addresses.getByRole('button', { name: 'Show addresses' }).click();
  await addresses.getByRole('button', { name: 'Regenerate play key' }).click();
  const renew = page.getByRole('dialog', { name: /^Regenerate the play key/ });
  await expect(renew).toContainText('1 player watches with this key and will be disconnected');
  await renew.getByRole('button', { name: 'Cancel' }).click();
  await player.stop();
  await expect(row).toHaveCount(0);
});

test('a receiver of a listening output is shown with it, and can be disconnected', async ({
  page,
  stage,
}, testInfo) => {
  const channel = await stage.liveChannel('Listened to');
  const port = leasePort();
  const srt = { mode: 'listener', host: '127.0.0.1', port, latency: 120 };
  await stage.output(channel, 'Listener', { type: 1, srt });
  await page.goto(detail(channel));
  const listener = outputs(page).getByRole('row').filter({ hasText: 'Listener' });
  await expect(listener).toContainText('none connected');
  const receiver = record(`srt://127.0.0.1:${port}?mode=caller`, testInfo.outputPath('received.mkv'));
  const row = page.getByRole('region', { name: 'Players' }).getByRole('row').filter({ hasText: '127.0.0.1' });
  await expect(row).toContainText('Listener');
  await expect(listener).toContainText('1 connected');
  await row.getByRole('button', { name: /^Disconnect 127/ }).click();
  await page
    .getByRole('dialog', { name: /^Disconnect 127/ })
    .getByRole('button', { name: 'Disconnect' })
    .click();
  await receiver.exited;
  await expect(row).toHaveCount(0);
  // Rows follow changes while they are in view.
  await listener.scrollIntoViewIfNeeded();
  await expect(listener).toContainText('none connected');
});

test('the history of a channel is kept with its reasons', async ({ page, stage }) => {
  const channel = await stage.liveChannel('With a past');
  await stage.output(channel, 'Closed port', { url: 'rtmp://127.0.0.1:9/live', key: 'k' });
  await page.goto(detail(channel));
  const history = page.getByRole('table', { name: 'Run history of this channel' });
  const refused = history.getByRole('row').filter({ hasText: 'Closed port' }).first();
  await expect(refused).toContainText('Connection refused');
  await expect(history.getByRole('row').filter({ hasText: /Channel.*Waiting.*Live/ })).toHaveCount(1);
  await page.getByRole('combobox', { name: 'Filter by object' }).selectOption('input');
  await expect(history.getByRole('row').filter({ hasText: 'Input' }).first()).toContainText('Running');
  await expect(refused).toHaveCount(0);
});

test('a missing channel is reported', async ({ page }) => {
  await page.goto('/#/stream/channel/detail/999999');
  await expect(page.getByText('This channel does not exist')).toBeVisible();
  await page.getByRole('link', { name: 'All channels' }).click();
  await expect(page.getByRole('heading', { name: 'Channels', level: 1 })).toBeVisible();
});
