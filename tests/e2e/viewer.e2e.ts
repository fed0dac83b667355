import type { Page } from '@playwright/test';
import type { HubProcess } from '../integration/hub-process.ts';
import { signInCookie } from './accounts.ts';
import { expect, test } from './console-test.ts';
import type { Stage } from './stage.ts';

test.use({ account: 'viewer' });

test('a viewer sees everything of a channel and no controls to change it', async ({ page, stage }) => {
  const channel = await stage.liveChannel('Look only');
  await stage.output(channel, 'Far end', { url: 'rtmp://127.0.0.1:9/live', key: 'k' });
  const acting = /^(Add|Edit|Change|Delete|Stop\b|Start|Regenerate|More actions|Send to|Save|Disconnect|From)/;
  const main = page.getByRole('main');

  await page.goto('/#/stream/channels');
  await expect(main.getByRole('row').filter({ hasText: channel.name })).toContainText('Live');
  for (const role of ['button', 'switch'] as const) await expect(main.getByRole(role, { name: acting })).toHaveCount(0);

  await main.getByRole('link', { name: channel.name }).click();
  await expect(page.getByRole('region', { name: 'Input' })).toContainText('Running');
  await expect(page.getByRole('region', { name: 'Outputs', exact: true })).toContainText('Far end');
  for (const role of ['button', 'switch'] as const) await expect(main.getByRole(role, { name: acting })).toHaveCount(0);
});

/** One of each object that has dialogs. */
async function furnish(stage: Stage, hub: HubProcess) {
  const channel = await stage.channel('Locked');
  const output = await stage.output(channel, `Kept ${channel.id}`, { url: 'rtmp://127.0.0.1:9/live', key: 'k' });
  const add = async (path: string, name: string, config: object) =>
    (await hub.api<{ id: number }>(path, { name: `${name} ${channel.id}`, config })).id;
  const srt = { mode: 'caller', host: '127.0.0.1', port: 9, latency: 120 };
  const input = await add('/api/input/source/add', 'Main line', { type: 1, srt });
  const backup = await add('/api/input/source/add', 'Spare line', { type: 1, srt: { ...srt, port: 10 } });
  const server = await add('/api/server/add', 'Far end', {
    type: 1,
    url: `rtmp://127.0.0.1:9/app-${channel.id}`,
    'main-key': 'k',
  });
  await hub.api('/api/channel/input/set', { id: channel.id, input, backup });
  for (const of of [{ input }, { output }]) await hub.api('/api/preset/save', { name: `Like ${channel.id}`, ...of });
  return {
    channel,
    output,
    input,
    server,
    async clear() {
      await hub.api('/api/channel/input/set', { id: channel.id, input: 0, backup: 0 });
      await hub.api('/api/input/source/del', { id: [input, backup], force: true });
      await hub.api('/api/server/del', { id: server });
    },
  };
}
type Furnished = Awaited<ReturnType<typeof furnish>>;

/** Addresses of all editing dialogs, and the text of their page once its data is loaded. */
function changingDialogs({ channel, output, input, server }: Furnished): [path: string, shown: string][] {
  const detail = `/stream/channel/detail/${channel.id}`;
  const on = (path: string, shown: string, dialogs: string[]) =>
    dialogs.map((dialog): [string, string] => [`${path}?dialog=${dialog}`, shown]);
  return [
    ...on('/stream/channels', channel.name, ['add', `edit&id=${channel.id}`]),
    ...on(detail, `Main line ${channel.id}`, [
      ...['edit', 'input', 'failover', 'alarms', 'add-output', 'server-output'],
      `edit-output&id=${output}`,
    ]),
    ...on('/stream/input', `Main line ${channel.id}`, [
      ...['add', 'preset', `edit&id=${input}`, `test&id=${input}`, `save-preset&id=${input}`],
    ]),
    ...on('/stream/output', `Kept ${channel.id}`, ['add', 'preset', `edit&id=${output}`, `save-preset&id=${output}`]),
    ...on('/stream/server', `Far end ${channel.id}`, ['add', `edit&id=${server}`, `output&id=${server}`]),
  ];
}

test('dialogs that a viewer may not use cannot be opened by their address either', async ({
  page,
  stage,
  hub,
  browser,
}) => {
  test.setTimeout(90_000);
  const made = await furnish(stage, hub);
  const loaded: string[] = [];
  page.on('request', (request) => loaded.push(request.url()));
  // A user with permission sees each of them: a test with an invalid address would prove nothing.
  const context = await browser.newContext({ baseURL: hub.url, locale: 'en-GB' });
  await context.addCookies([await signInCookie(hub, 'admin')]);
  const admin = await context.newPage();
  for (const [path, shown] of changingDialogs(made)) {
    await admin.goto(`/#${path}`);
    await expect(admin.getByRole('dialog'), path).toBeVisible();
    await page.goto(`/#${path}`);
    await expect(page.getByRole('main').getByText(shown).first(), path).toBeVisible();
    await expect(page.getByRole('dialog'), path).toHaveCount(0);
  }
  await context.close();
  // A dialog first loads its code.
  const codeOfDialogs =
    /\/(Channel|InputChoice|Failover|AlarmRules|Input|Output|Server|ServerOutput|Preset|SavePreset|SourceTest)Dialog-/;
  expect(loaded.filter((url) => codeOfDialogs.test(url))).toEqual([]);
  await made.clear();
});

test('no streaming page offers a viewer any changes', async ({ page, stage, hub }) => {
  const made = await furnish(stage, hub);
  const { id, name } = made.channel;
  const pages: [path: string, shown: string][] = [
    ['/dashboard', 'Needs attention'],
    ['/stream/channels', name],
    [`/stream/channel/detail/${id}`, `Spare line ${id}`],
    ['/stream/input', `Main line ${id}`],
    ['/stream/output', `Kept ${id}`],
    ['/stream/server', `Far end ${id}`],
  ];
  for (const [path, shown] of pages) {
    await page.goto(`/#${path}`);
    await expect(page.getByRole('main').getByText(shown).first()).toBeVisible();
    expect(await offered(page), path).toEqual([]);
  }
  await page.goto(`/#/stream/channel/detail/${id}`);
  await page.getByRole('button', { name: 'Go to' }).click();
  await expect(page.getByRole('option', { name })).toBeVisible();
  await expect(page.getByRole('option', { name: /^Add/ })).toHaveCount(0);
  await made.clear();
});

/** Controls that only show, sort, filter or copy; a filter ends with its count. */
const harmless =
  /^(Copy|Card view|List view|Show|Hide|Columns|Preview|Link quality|Clear the search|Sort|\d+ minutes|Jump to latest|[A-Z][a-z ]+ \d+$)/;

/** Names of controls in the page that do more than that. */
async function offered(page: Page): Promise<string[]> {
  const main = page.getByRole('main');
  const buttons = main.locator('button:not(th button), [role="switch"], input[type="checkbox"]');
  const names = await buttons.evaluateAll((all) =>
    all.filter((one) => one.checkVisibility()).map((one) => one.getAttribute('aria-label') ?? one.textContent ?? ''),
  );
  return names.map((name) => name.trim()).filter((name) => !harmless.test(name));
}

test('settings that a user may only view say so', async ({ page }) => {
  await page.goto('/#/settings/general');
  await expect(page.getByText('You can view these settings, but not change them.')).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'TCP port' }).first()).toBeDisabled();
});

test('a page for administrators is not in the menu and explains why it is closed', async ({ page }) => {
  await page.goto('/#/settings/logs');
  await expect(page.getByText('Access denied')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Logs', level: 1 })).toBeVisible();
  const menu = page.getByRole('navigation', { name: 'Main menu' });
  await expect(menu.getByRole('link', { name: 'Channels' })).toBeVisible();
  await expect(menu.getByRole('link', { name: 'Logs' })).toHaveCount(0);
});
