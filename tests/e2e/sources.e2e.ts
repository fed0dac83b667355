import type { Page } from '@playwright/test';
import { record } from '../integration/live-media.ts';
import { leasePort } from '../support/ports.ts';
import { axeFaults } from './axe.ts';
import { expect, test } from './console-test.ts';
import { encode } from './stage.ts';

const rows = (page: Page, table: string) => page.getByRole('table', { name: table }).getByRole('row');

async function chooseInput(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Change input...' }).click();
  const dialog = page.getByRole('dialog', { name: /^Change input of/ });
  await dialog.getByRole('radio', { name }).check();
  await dialog.getByRole('button', { name: 'Switch input' }).click();
  await expect(dialog).toHaveCount(0);
}

test('an input is added, feeds a channel, and is deleted only with a warning while it is in use', async ({
  page,
  stage,
  faults,
}) => {
  const channel = await stage.channel('Fed by an input');
  const port = leasePort();
  const name = `Uplink ${port}`;
  // A sender that waits for the hub to call.
  encode(`srt://127.0.0.1:${port}?mode=listener&pkt_size=1316`);
  await page.goto('/#/stream/input');
  await page.getByRole('button', { name: 'Add input' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Add input' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
  await dialog.getByRole('textbox', { name: 'Host' }).fill('127.0.0.1');
  await dialog.getByRole('button', { name: 'Add input' }).click();
  await expect(dialog.getByRole('textbox', { name: 'Port' })).toHaveAttribute('aria-invalid', 'true');
  await dialog.getByRole('textbox', { name: 'Port' }).fill(String(port));
  await expect(dialog.getByText(`srt://127.0.0.1:${port}?mode=caller&latency=120`)).toBeVisible();
  await dialog.getByRole('button', { name: 'Add input' }).click();
  // It goes back in the history when it closes, which must not undo the next step.
  await expect(dialog).toHaveCount(0);
  await expect(rows(page, 'Inputs').filter({ hasText: name })).toContainText('SRT');

  await page.goto(`/#/stream/channel/detail/${channel.id}`);
  await chooseInput(page, name);
  await expect(page.getByRole('region', { name: 'Addresses and keys' })).toContainText(`the input “${name}”`);
  const input = page.getByRole('region', { name: 'Input' });
  await expect(input).toContainText('Running');
  await expect(input).toContainText('320×180');

  faults.expect(/\b4\d\d\b.*\/api\/input\/(source\/)?del/);
  await page.goto('/#/stream/input');
  await page.getByRole('button', { name: `More actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const confirm = page.getByRole('dialog', { name: new RegExp(name) });
  await confirm.getByRole('button', { name: 'Delete input' }).click();
  await expect(confirm).toContainText(`Used by ${channel.name}.`);
  await confirm.getByRole('button', { name: 'Delete anyway' }).click();
  await expect(rows(page, 'Inputs').filter({ hasText: name })).toHaveCount(0);
});

test('a listening input waits on its own port for a sender', async ({ page, stage }) => {
  const channel = await stage.channel('Fed by a caller');
  const port = leasePort();
  const name = `Called ${port}`;
  await page.goto('/#/stream/input?dialog=add');
  const dialog = page.getByRole('dialog', { name: 'Add input' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
  await dialog.getByRole('combobox', { name: 'Mode' }).selectOption('listener');
  await dialog.getByRole('textbox', { name: 'Port' }).fill(String(port));
  await expect(dialog.getByText(`srt://0.0.0.0:${port}?mode=listener&latency=120`)).toBeVisible();
  await dialog.getByRole('button', { name: 'Add input' }).click();
  await expect(rows(page, 'Inputs').filter({ hasText: name })).toContainText('mode=listener');
  await expect(dialog).toHaveCount(0);
  await page.goto(`/#/stream/channel/detail/${channel.id}`);
  await chooseInput(page, name);
  encode(`srt://127.0.0.1:${port}?mode=caller&pkt_size=1316`);
  await expect(page.getByRole('region', { name: 'Input' })).toContainText('320×180');
});

test('each protocol of an input has its own fields and rules', async ({ page }) => {
  await page.goto('/#/stream/input?dialog=add');
  const dialog = page.getByRole('dialog', { name: 'Add input' });
  const add = dialog.getByRole('button', { name: 'Add input' });
  await dialog.getByText('HTTP/HLS', { exact: true }).click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Fetched');
  await dialog.getByRole('textbox', { name: 'URL' }).fill('udp://239.1.2.3:5000');
  await add.click();
  await expect(dialog.getByRole('textbox', { name: 'URL' })).toHaveAccessibleDescription(/http:\/\/host/);
  await dialog.getByRole('textbox', { name: 'URL' }).fill('http://127.0.0.1:9/live.m3u8');
  await dialog.getByRole('checkbox', { name: /requires a username/ }).check();
  await add.click();
  await expect(dialog.getByRole('textbox', { name: 'Username' })).toHaveAttribute('aria-invalid', 'true');
  await dialog.getByText('RTP', { exact: true }).click();
  await dialog.getByRole('textbox', { name: 'Local address or group' }).fill('239.1.2.3');
  await dialog.getByRole('textbox', { name: 'Port' }).fill('5004');
  await dialog.getByRole('textbox', { name: 'Sender address' }).fill('192.0.2.9');
  await expect(dialog.getByText('rtp://239.1.2.3:5004?source=192.0.2.9')).toBeVisible();
  await dialog.getByRole('textbox', { name: 'TS program number' }).fill('65536');
  await dialog.getByRole('textbox', { name: 'Audio track' }).fill('2');
  await dialog.getByRole('textbox', { name: 'Buffer' }).fill('2001');
  await add.click();
  await expect(dialog.getByRole('textbox', { name: 'TS program number' })).toHaveAttribute('aria-invalid', 'true');
  await dialog.getByRole('textbox', { name: 'TS program number' }).fill('22');
  await expect(dialog.getByRole('textbox', { name: 'Buffer' })).toHaveAttribute('aria-invalid', 'true');
  await dialog.getByRole('textbox', { name: 'Buffer' }).fill('300');
  await add.click();
  await expect(rows(page, 'Inputs').filter({ hasText: 'Fetched' })).toContainText('RTP');
});

test('an RTSP output shows where players find it, and its path is unique', async ({ page, context, stage }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const channel = await stage.liveChannel('Served by RTSP');
  const port = leasePort();
  await page.goto(`/#/stream/channel/detail/${channel.id}?dialog=add-output`);
  const dialog = page.getByRole('dialog', { name: 'Add output' });
  const add = dialog.getByRole('button', { name: 'Add output' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill(`Stage ${port}`);
  await dialog.getByText('RTSP', { exact: true }).click();
  await add.click();
  await expect(dialog.getByRole('textbox', { name: 'Path' })).toHaveAttribute('aria-invalid', 'true');
  await dialog.getByRole('textbox', { name: 'Path' }).fill('stage');
  await dialog.getByRole('textbox', { name: 'Port' }).fill(String(port));
  await dialog.getByRole('checkbox', { name: 'Require a username and password from players' }).check();
  await dialog.getByRole('textbox', { name: 'Username' }).fill('crew');
  await dialog.getByLabel('Password', { exact: true }).fill('pass word');
  const address = `rtsp://${new URL(page.url()).hostname}:${port}/stage`;
  await expect(dialog.getByText(address)).toBeVisible();
  await dialog.getByRole('button', { name: 'Copy Address' }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(address);
  await dialog.getByRole('checkbox', { name: 'Start sending now' }).check();
  await add.click();
  const row = page.getByRole('region', { name: 'Outputs', exact: true }).getByRole('row').filter({ hasText: address });
  await expect(row).toContainText('none connected');
  await expect(dialog).toHaveCount(0);

  await page.goto('/#/stream/output?dialog=add');
  await dialog.getByRole('textbox', { name: 'Name' }).fill(`Second ${port}`);
  await dialog.getByText('RTSP', { exact: true }).click();
  await dialog.getByRole('textbox', { name: 'Path' }).fill('stage');
  await dialog.getByRole('textbox', { name: 'Port' }).fill(String(port));
  await add.click();
  await expect(dialog.getByRole('textbox', { name: 'Path' })).toHaveAccessibleDescription(/Already in use/);
  await dialog.getByRole('textbox', { name: 'Path' }).fill('backstage');
  await add.click();
  await expect(rows(page, 'Outputs').filter({ hasText: `rtsp://127.0.0.1:${port}/backstage` })).toBeVisible();
});

test('the list of outputs shows state, address and channel of each', async ({ page, stage }) => {
  const channel = await stage.liveChannel('Two outputs');
  await stage.output(channel, 'Listed one', { type: 1, url: `udp://127.0.0.1:${leasePort()}` });
  await stage.output(channel, 'Listed two', { url: 'rtmp://127.0.0.1:9/live', key: 'secret-key' });
  await page.goto('/#/stream/output?sort=name');
  const one = rows(page, 'Outputs').filter({ hasText: 'Listed one' });
  const two = rows(page, 'Outputs').filter({ hasText: 'Listed two' });
  await expect(one).toContainText('Running');
  await expect(two).toContainText('rtmp://127.0.0.1:9/live');
  await expect(two).not.toContainText('secret-key');
  await one.getByRole('link', { name: channel.name }).click();
  await expect(page.getByRole('heading', { name: channel.name, level: 1 })).toBeVisible();
});

test('an open listener is marked, also where its address is truncated', async ({ page, stage }) => {
  const channel = await stage.channel('Wide open');
  const listener = { mode: 'listener', host: '0.0.0.0', port: leasePort(), latency: 120 };
  await stage.output(channel, 'Open one', { type: 1, srt: listener });
  await stage.output(channel, 'Closed one', { type: 1, srt: { ...listener, 'stream-id': 'wall', port: leasePort() } });
  await page.goto('/#/stream/output');
  const mark = (name: string) => rows(page, 'Outputs').filter({ hasText: name }).getByText('Open', { exact: true });
  await expect(mark('Open one')).toBeInViewport({ ratio: 1 });
  await expect(mark('Closed one')).toHaveCount(0);
  // On a tablet the rows are cards.
  await page.setViewportSize({ width: 820, height: 1180 });
  const card = page.getByRole('listitem').filter({ hasText: 'Open one' });
  await expect(card.getByText('Open', { exact: true })).toBeInViewport({ ratio: 1 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(820);
});

test('an output that a channel uses is deleted after a second confirmation', async ({ page, stage, faults }) => {
  const channel = await stage.channel('Uses its output');
  const name = `Doomed ${channel.id}`;
  await stage.output(channel, name, { type: 1, url: `udp://127.0.0.1:${leasePort()}` });
  faults.expect(/\b4\d\d\b.*\/api\/output\/del/);
  await page.goto('/#/stream/output');
  await page.getByRole('button', { name: `More actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const confirm = page.getByRole('dialog', { name: `Delete output “${name}”?` });
  await confirm.getByRole('button', { name: 'Delete output' }).click();
  await expect(confirm).toContainText(`Used by the channel “${channel.name}”.`);
  await confirm.getByRole('button', { name: 'Delete anyway' }).click();
  await expect(rows(page, 'Outputs').filter({ hasText: name })).toHaveCount(0);
});

test('a stored passphrase is neither shown nor lost by an edit', async ({ page, stage }) => {
  const channel = await stage.channel('With secret');
  const id = await stage.output(channel, 'Encrypted', {
    type: 1,
    srt: {
      ...{ mode: 'caller', host: '127.0.0.1', port: leasePort(), latency: 120 },
      ...{ 'pb-key-len': 16, passphrase: 'a long secret' },
    },
  });
  await page.goto(`/#/stream/channel/detail/${channel.id}?dialog=edit-output&id=${id}`);
  const dialog = page.getByRole('dialog', { name: 'Edit output “Encrypted”' });
  await expect(dialog.getByRole('combobox', { name: 'Encryption' })).toHaveValue('16');
  await expect(dialog.getByLabel('Passphrase', { exact: true })).toHaveValue('');
  await expect(dialog.getByLabel('Passphrase', { exact: true })).toHaveAttribute('placeholder', 'Unchanged');
  await dialog.getByRole('textbox', { name: 'Latency' }).fill('200');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);
  await page.goto(`/#/stream/channel/detail/${channel.id}?dialog=edit-output&id=${id}`);
  await expect(dialog.getByRole('textbox', { name: 'Latency' })).toHaveValue('200');
  await expect(dialog.getByLabel('Passphrase', { exact: true })).toHaveAttribute('placeholder', 'Unchanged');
});

test('the play address on the page delivers the stream', async ({ page, context, stage }, testInfo) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const channel = await stage.liveChannel('Watch me');
  await page.goto(`/#/stream/channel/detail/${channel.id}`);
  const addresses = page.getByRole('region', { name: 'Addresses and keys' });
  await addresses.getByRole('button', { name: 'Show addresses' }).click();
  await addresses.getByRole('button', { name: 'Copy SRT play address' }).click();
  const url = await page.evaluate(() => navigator.clipboard.readText());
  const player = record(`${url}&mode=caller`, testInfo.outputPath('watched.mkv'), 1);
  expect(await player.exited).toBe(0);
});

test('a stored password must be entered again for another server, and a URL with a token is hidden', async ({
  page,
  hub,
  faults,
}) => {
  const port = leasePort();
  const name = `Camera ${port}`;
  const config = { url: 'rtsp://camera.example/1?token=t0ken', 'enable-auth': true, username: 'me', password: 'word' };
  const { id } = await hub.api<{ id: number }>('/api/input/source/add', { name, config });
  await page.goto('/#/stream/input');
  await expect(rows(page, 'Inputs').filter({ hasText: name })).toContainText('rtsp://camera.example/1?••••••');
  await page.goto(`/#/stream/input?dialog=edit&id=${id}`);
  const dialog = page.getByRole('dialog', { name: `Edit input “${name}”` });
  const url = dialog.getByLabel('URL', { exact: true });
  await expect(url).toHaveAttribute('type', 'password');
  await dialog.getByRole('button', { name: 'Show or hide the URL' }).click();
  await expect(url).toHaveValue('rtsp://camera.example/1?token=t0ken');
  expect(await axeFaults(page)).toEqual([]);
  faults.expect(/\b4\d\d\b.*\/api\/input\/source\/set/);
  await url.fill('rtsp://other.example/1');
  await dialog.getByRole('button', { name: 'Save' }).click();
  const password = dialog.getByLabel('Password', { exact: true });
  await expect(password).toHaveAccessibleDescription('The address has changed: enter this again');
  await password.fill('another');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(rows(page, 'Inputs').filter({ hasText: name })).toContainText('rtsp://other.example/1');
  await hub.api('/api/input/source/del', { id });
});
