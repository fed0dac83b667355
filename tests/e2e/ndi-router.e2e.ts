/** The page of the NDI router, on a hub whose network of sources is in memory. */
import type { Locator, Page } from '@playwright/test';
import { ndiNetworkOf } from '../sim/ndi-network.ts';
import { tabTo } from './by-keys.ts';
import { expect, test } from './console-test.ts';
import type { Say } from './places.ts';
import { look, type View, views } from './views.ts';

test.use({ main: 'tests/sim/ndi-hub.ts', features: 'ndi-router' });
// A view has ten places.
test.describe.configure({ timeout: 120_000 });

type Hub = Parameters<typeof ndiNetworkOf>[0] & { api<T>(path: string, body?: object): Promise<T> };

const camera = (at: number) => `S1 (K${at})`;

/** Four outputs without routes and locks, and three cameras in the inputs 1 to 3, the last of them offline. */
async function setUp(hub: Hub): Promise<void> {
  const network = ndiNetworkOf(hub);
  await hub.api('/api/ndi/router/set', { 'base-name': 'H' });
  const { outputs } = await hub.api<{ outputs: { id: number }[] }>('/api/ndi/router/get');
  if (outputs.length > 0) {
    await hub.api('/api/ndi/router/output/del', { id: outputs.map(({ id }) => id), force: true });
  }
  const { list } = await hub.api<{ list: { id: number }[] }>('/api/ndi/salvo/list');
  if (list.length > 0) await hub.api('/api/ndi/salvo/del', { id: list.map(({ id }) => id) });
  for (const at of [1, 2, 3]) {
    await network('addSource', camera(at));
    const input = { id: at, source: camera(at), label: at === 3 ? '' : `C${at}`, group: at === 1 ? 'A' : 'B' };
    await hub.api('/api/ndi/router/input/set', { ...input, failover: null, force: true });
  }
  await network('removeSource', camera(3));
  for (const at of [1, 2, 3, 4])
    await hub.api('/api/ndi/router/output/add', { name: `O${at}`, group: at < 3 ? 'A' : 'B' });
}

const routes = async (hub: Hub) => {
  const { outputs } = await hub.api<{ outputs: { id: number; in: number | null }[] }>('/api/ndi/router/get');
  return outputs.map((output) => output.in);
};

const cellAt = (page: Page, output: string, source: string) =>
  page
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name: output }) })
    .locator(`[data-column="${{ None: 0, C1: 1, C2: 2, K3: 3 }[source]}"][role=gridcell]`);

for (const [name, view] of Object.entries<View>(views)) {
  test.describe(name, () => {
    test.use({ colorScheme: view.scheme, ...view.options });

    test('every part of the page passes all checks', async ({ page, hub, faults }) => {
      const say: Say = (en, zh) => (view.language === 'zh' ? zh : en);
      await setUp(hub);
      await hub.api('/api/ndi/router/route', {
        routes: [
          { out: 1, in: 1 },
          { out: 2, in: 3 },
        ],
      });
      await hub.api('/api/ndi/router/lock', { out: 2, locked: true });
      await hub.api('/api/ndi/salvo/capture', { name: 'S1' });
      await page.goto('/#/ndi-router');
      await expect(page.getByRole('heading', { name: say('NDI® Router', 'NDI® 路由') })).toBeVisible();
      const output = page.getByText('O1', { exact: true }).first();
      await expect(output).toBeVisible();
      await look(page, view, 'matrix');
      for (const part of ['sources', 'outputs', 'salvos', 'settings']) {
        await page.goto(`/#/ndi-router?tab=${part}`);
        await expect(page.locator('main form, main table, main [role=list], main li').last()).toBeVisible();
        await look(page, view, part);
        const below = page.evaluate(
          () => document.documentElement.scrollHeight - document.documentElement.clientHeight,
        );
        expect.soft(await below, `${part}: the document scrolls beside its main part`).toBe(0);
      }
      for (const dialog of ['input&id=1', 'output&id=1', 'add-output', 'add-salvo']) {
        await page.goto(`/#/ndi-router?tab=salvos&dialog=${dialog}`);
        await expect(page.getByRole('dialog').getByRole('textbox').first()).toBeVisible();
        await look(page, view, dialog);
        await page.keyboard.press('Escape');
        await expect(page.getByRole('dialog')).toHaveCount(0);
      }
      await ndiNetworkOf(hub)('setRuntime', { state: 'missing', folders: ['/usr/lib'], remedy: 'installRuntime' });
      await page.goto('/#/ndi-router/wall');
      await expect(page.getByText(say('There is no NDI runtime on this hub', '本机没有 NDI 运行库'))).toBeVisible();
      await look(page, view, 'wall');
      await ndiNetworkOf(hub)('revive');
      expect(faults.unexpected()).toEqual([]);
    });
  });
}

test('by keys alone, outputs are routed, cleared, locked and returned', async ({ page, hub }) => {
  await setUp(hub);
  await page.goto('/#/ndi-router');
  await expect(page.getByRole('grid')).toBeVisible();
  await tabTo(page, 'grid', 'Crosspoints');
  const { keyboard } = page;
  const active = page.locator('[role=gridcell][data-active]');
  await keyboard.press('Control+Home');
  // The heading of the first group, then its outputs.
  for (const key of ['ArrowDown', 'ArrowRight', 'ArrowRight']) await keyboard.press(key);
  await expect(active).toHaveAttribute('aria-label', 'C2 to O1: Not routed');
  await keyboard.press('Enter');
  await expect(active).toHaveAttribute('aria-label', 'C2 to O1: Routed');
  await expect(page.getByRole('status').filter({ hasText: 'O1 now C2' })).toBeAttached();
  await keyboard.press('ArrowLeft');
  await keyboard.press('Space');
  await expect(active).toHaveAttribute('aria-label', 'C1 to O1: Routed');
  await keyboard.press('u');
  await expect(active).toHaveAttribute('aria-label', 'C1 to O1: Not routed');
  await expect.poll(() => routes(hub)).toEqual([2, null, null, null]);
  await keyboard.press('Delete');
  await expect.poll(() => routes(hub)).toEqual([null, null, null, null]);
  await keyboard.press('l');
  await expect(page.getByRole('img', { name: 'Locked by Admin' })).toBeVisible();
  await keyboard.press('Enter');
  await expect(page.getByText('O1: Locked by Admin. Unlock it first.')).toBeVisible();
  expect(await routes(hub)).toEqual([null, null, null, null]);
  await keyboard.press('l');
  await expect(page.getByRole('img', { name: 'Locked by Admin' })).toHaveCount(0);
  await keyboard.press('Control+End');
  await keyboard.press('Enter');
  await expect(active).toHaveAttribute('aria-label', `${camera(3)} to O4: Routed, source offline`);
  await keyboard.press('g');
  await expect(page.getByRole('button', { name: /^B/ }).first()).toHaveAttribute('aria-expanded', 'false');
});

test('in take mode, routes are prepared and sent together, and what others do shows meanwhile', async ({
  page,
  hub,
}) => {
  await setUp(hub);
  await page.goto('/#/ndi-router');
  await page.getByText('Take mode', { exact: true }).click();
  await cellAt(page, 'O1', 'C1').click();
  await cellAt(page, 'O2', 'C2').click();
  await cellAt(page, 'O4', 'C2').click();
  await expect(cellAt(page, 'O2', 'C2')).toHaveAttribute('data-mark', 'staged');
  expect(await routes(hub)).toEqual([null, null, null, null]);
  await hub.api('/api/ndi/router/route', { routes: [{ out: 3, in: 1 }] });
  await expect(cellAt(page, 'O3', 'C1')).toHaveAttribute('data-mark', 'sent');
  await hub.api('/api/ndi/router/lock', { out: 4, locked: true });
  await page.getByRole('button', { name: 'Take', exact: true }).click();
  await expect(cellAt(page, 'O1', 'C1')).toHaveAttribute('data-mark', 'sent');
  await expect(page.getByText('2 of 3 outputs switched. O4: Locked by Admin. Unlock it first.')).toBeVisible();
  await expect(cellAt(page, 'O4', 'C2')).toHaveAttribute('data-mark', 'staged');
  expect(await routes(hub)).toEqual([1, 2, 1, null]);
  await page.getByRole('button', { name: 'Clear', exact: true }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => routes(hub)).toEqual([null, null, 1, null]);
});

test('a source from the network is added to an input, a salvo recalled, and an output deleted after a question', async ({
  page,
  hub,
}) => {
  await setUp(hub);
  await hub.api('/api/ndi/router/input/set', { id: 4, source: null, label: '', force: true });
  await ndiNetworkOf(hub)('addSource', 'SERVER (One)');
  await page.goto('/#/ndi-router?tab=sources');
  await page
    .getByRole('listitem')
    .filter({ hasText: 'SERVER (One)' })
    .getByRole('button', { name: 'Add to an input' })
    .click();
  await expect(page.getByRole('row').filter({ hasText: 'SERVER (One)' })).toContainText('Online');
  await hub.api('/api/ndi/router/route', { routes: [{ out: 1, in: 4 }] });
  await page.goto('/#/ndi-router?tab=salvos&dialog=add-salvo');
  const dialog = page.getByRole('dialog', { name: 'Add salvo' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Opening');
  await dialog.getByRole('button', { name: 'Add salvo' }).click();
  await expect(dialog).toHaveCount(0);
  await hub.api('/api/ndi/router/route', { routes: [{ out: 1, in: null }] });
  await page.getByRole('button', { name: /^Opening/ }).click();
  await expect.poll(() => routes(hub)).toEqual([4, null, null, null]);
  await page.goto('/#/ndi-router?tab=outputs');
  await page.getByRole('button', { name: 'More actions for O1' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const question = page.getByRole('dialog', { name: 'Delete “O1”?' });
  await question.getByRole('button', { name: 'Delete' }).click();
  await question.getByRole('button', { name: 'Delete anyway' }).click();
  await expect(page.getByRole('row').filter({ hasText: 'H (O1)' })).toHaveCount(0);
  expect(await routes(hub)).toEqual([null, null, null]);
});

test('without a runtime the page says so, an upload needs the accepted license, and a file that is none is refused', async ({
  page,
  hub,
}) => {
  await setUp(hub);
  await ndiNetworkOf(hub)('setRuntime', { state: 'missing', folders: ['/usr/lib'], remedy: 'installRuntime' });
  await page.goto('/#/ndi-router');
  await page.getByRole('button', { name: 'Upload runtime…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Upload the NDI runtime' });
  const file = { name: 'libndi.so.6', mimeType: 'application/octet-stream', buffer: Buffer.from('not a library') };
  await dialog.locator('input[type=file]').setInputFiles(file);
  await expect(dialog.getByRole('button', { name: 'Upload', exact: true })).toBeDisabled();
  await dialog.getByRole('checkbox', { name: /I have accepted the license/ }).check();
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
  await expect(dialog.getByRole('alert')).toBeVisible();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('There is no NDI runtime on this hub')).toHaveCount(0);
});

test('discovery servers and hardware panels are set, and a wrong address is refused at its field', async ({
  page,
  hub,
}) => {
  await page.goto('/#/ndi-router?tab=settings');
  // While it is being saved, the button is disabled, too.
  const untilSaved = (part: Locator) =>
    expect(part.getByRole('button', { name: 'Save' })).toHaveAttribute('title', 'Nothing was changed');
  const discovery = page.getByRole('region', { name: 'Discovery', exact: true });
  await discovery.getByRole('textbox', { name: 'Additional machines' }).fill('10.0.0.9');
  await discovery.getByRole('button', { name: 'Save' }).click();
  await untilSaved(discovery);
  const panels = page.getByRole('region', { name: 'Hardware panels' });
  await panels.getByRole('textbox', { name: 'Addresses of panels' }).fill('10.0.0.31, nowhere');
  await panels.getByRole('button', { name: 'Save' }).click();
  await expect(panels.getByRole('textbox', { name: 'Addresses of panels' })).toHaveAttribute('aria-invalid', 'true');
  await panels.getByRole('textbox', { name: 'Addresses of panels' }).fill('10.0.0.31');
  await panels.getByRole('button', { name: 'Save' }).click();
  await untilSaved(panels);
  await panels.getByRole('combobox', { name: 'Protocol version' }).selectOption('2.8');
  await panels.getByRole('button', { name: 'Save' }).click();
  await untilSaved(panels);
  const server = page.getByRole('region', { name: 'Discovery server of this hub' });
  await expect(server).toContainText('Disabled');
  await server.getByRole('checkbox', { name: 'Run a discovery server on this hub' }).check();
  await server.getByRole('button', { name: 'Save' }).click();
  await expect(server).toContainText('Waiting to retry');
  await expect(server).toContainText('The program is not installed.');
  await hub.api('/api/settings/set', { 'hub-ndi-server': { enable: false } });
  const stored = await hub.api<{ 'ndi-discovery': object; videohub: object }>('/api/settings/get');
  expect(stored['ndi-discovery']).toMatchObject({ 'extra-ips': '10.0.0.9' });
  expect(stored.videohub).toMatchObject({ allow: ['10.0.0.31'], enabled: false, version: '2.8' });
});

test('the palette finds outputs and salvos', async ({ page, hub }) => {
  await setUp(hub);
  await hub.api('/api/ndi/salvo/capture', { name: 'Opening' });
  await page.goto('/#/dashboard');
  await page.getByRole('button', { name: 'Go to', exact: true }).click();
  const search = page.getByRole('dialog', { name: 'Go to' }).locator('input');
  await search.fill('Opening');
  await expect(page.getByRole('option', { name: /Opening/ })).toBeVisible();
  await search.fill('O3');
  await page.getByRole('option', { name: /O3/ }).click();
  await expect(page.getByRole('dialog', { name: 'Output 3' })).toBeVisible();
});

test.describe('on a touch screen', () => {
  test.use({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });

  test('an output is chosen, then its source, and the lock of another user is removed after a question', async ({
    page,
    hub,
  }) => {
    await setUp(hub);
    await page.goto('/#/ndi-router');
    await page.getByRole('button', { name: /O3/ }).tap();
    await page.getByRole('button', { name: /C2/ }).tap();
    await expect(page.getByRole('button', { name: /C2/ })).toContainText('Routed');
    await page.getByRole('button', { name: 'Lock', exact: true }).tap();
    await expect(page.getByRole('button', { name: 'Unlock, locked by Admin' })).toBeVisible();
    await page.getByRole('button', { name: /C1/ }).tap();
    await expect(page.getByText('O3: Locked by Admin. Unlock it first.')).toBeVisible();
    await page.getByRole('button', { name: 'Outputs', exact: true }).tap();
    await expect(page.getByRole('button', { name: /O3/ })).toContainText('C2');
    expect(await routes(hub)).toEqual([null, null, 2, null]);
  });
});

test.describe('on a touch screen that has room for the matrix', () => {
  test.use({ viewport: { width: 820, height: 1180 }, isMobile: true, hasTouch: true });

  test('a tap on a crosspoint switches, a second output follows, and a group folds', async ({ page, hub }) => {
    await setUp(hub);
    await page.goto('/#/ndi-router');
    await cellAt(page, 'O1', 'C1').tap();
    await cellAt(page, 'O2', 'C2').tap();
    await expect(cellAt(page, 'O1', 'C1')).toHaveAttribute('data-mark', 'sent');
    await expect.poll(() => routes(hub)).toEqual([1, 2, null, null]);
    const { height } = (await cellAt(page, 'O1', 'C1').boundingBox()) ?? { height: 0 };
    expect(height).toBeGreaterThanOrEqual(44);
    await page.getByRole('button', { name: 'Undo' }).tap();
    await expect.poll(() => routes(hub)).toEqual([1, null, null, null]);
    const group = page.getByRole('grid').getByRole('button', { name: /^A/ }).first();
    await group.tap();
    await expect(group).toHaveAttribute('aria-expanded', 'false');
  });
});

test.describe('without the permission to change it', () => {
  test.use({ account: 'viewer' });

  test('the matrix can be read but not switched, and says why', async ({ page, hub }) => {
    await setUp(hub);
    await page.goto('/#/ndi-router');
    await cellAt(page, 'O1', 'C1').click();
    const messages = page.getByRole('region', { name: 'Messages' });
    await expect(messages.getByText('You can view the router, but not change it.')).toBeVisible();
    expect(await routes(hub)).toEqual([null, null, null, null]);
    await expect(page.getByRole('grid')).toHaveAttribute('aria-readonly', 'true');
  });
});
