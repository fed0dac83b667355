/** Checks every place of the console in every view: accessibility, colors, language, width and browser errors. */
import type { Page } from '@playwright/test';
import { paths } from '../../web/src/lib/paths.ts';
import { serveDevice } from '../sim/devices/serve.ts';
import { UsapiDevice } from '../sim/devices/usapi.ts';
import { expect, test } from './console-test.ts';
import { notSignedIn, type PageFaults } from './page-faults.ts';
import {
  channelPlaces,
  devicePagePlaces,
  devicePlaces,
  furnish,
  listPlaces,
  type Place,
  peoplePlaces,
  type Say,
  settingsPlaces,
  signInPlaces,
} from './places.ts';
import { look, type View, views } from './views.ts';

async function walk(page: Page, view: View, faults: PageFaults, places: readonly Place[]): Promise<void> {
  const say = (english: string, chinese: string) => (view.language === 'zh' ? chinese : english);
  for (const [at, { path, shows, reach }] of places.entries()) {
    const [role, english, chinese] = shows;
    const where = `${at + 1}: ${path}`;
    const seen = faults.unexpected().length;
    await page.goto(`/#${path}`);
    const shown = page.getByRole(role, { name: view.language === 'zh' ? chinese : english }).first();
    if (reach) {
      await expect(page.getByRole('heading', { level: 1, includeHidden: true })).toBeVisible();
      await reach(page, say);
    }
    // An expectation that does not hold yet makes the driver describe the whole page each time.
    await shown.waitFor();
    await look(page, view, where);
    expect.soft(faults.unexpected().slice(seen), where).toEqual([]);
    // What the steps opened would stay open over the next place: only the part of the URL after # changes.
    if (reach) await closeAll(page, say);
  }
}

/** Closes an open dialog or menu, and discards a started form: the page would not be left without a question. */
async function closeAll(page: Page, say: Say): Promise<void> {
  const open = page.locator('[role=dialog], [role=menu]').filter({ visible: true });
  if ((await open.count()) > 0) await page.keyboard.press('Escape');
  await expect(open).toHaveCount(0);
  const discard = page.getByRole('button', { name: say('Discard', '放弃修改'), exact: true });
  if (await discard.isVisible()) await discard.click();
}

/** Of a name that is the same in each language. */
const seenDevice = { sn: 'B313240920199', name: '3-27' };

test.use({ features: 'devices' });
// A view has more than forty places.
test.describe.configure({ timeout: 240_000 });

for (const [name, view] of Object.entries(views)) {
  test.describe(name, () => {
    test.use({ colorScheme: view.scheme, ...view.options });

    // One test: a new page would load the console and axe again, which costs more than all checks of a place.
    test('every place passes all checks', async ({ page, stage, faults, hub }) => {
      const places = channelPlaces(await furnish(stage, view.language));
      await walk(page, view, faults, [
        ...[...listPlaces, ...places, ...devicePlaces],
        ...[...settingsPlaces, ...peoplePlaces],
      ]);
      // Only now: the lists of devices were to be empty.
      const { sn, name } = seenDevice;
      const served = serveDevice(new UsapiDevice({ kind: 'encode', sn, name }));
      try {
        const address = `127.0.0.1:${served.address.port}`;
        await hub.api('/api/device/add', { address, user: 'Admin', password: 'Admin' });
        await walk(page, view, faults, devicePagePlaces(sn));
        await page.goto('about:blank');
        await hub.api('/api/device/del', { sn });
      } finally {
        await served.close();
      }
    });

    test.describe('before sign-in', () => {
      test.use({ account: 'nobody' });

      test('sign-in passes all checks', async ({ page, faults }) => {
        faults.expect(notSignedIn);
        await walk(page, view, faults, signInPlaces);
      });
    });
  });
}

/** Pages that this hub does not have; other tests cover them. */
const elsewhere: readonly string[] = [
  paths.ndiRouter,
  paths.ndiWall,
  paths.setup,
  paths.tokens,
  paths.network,
  paths.networkRoutes,
  paths.firewall,
];

test('the walk visits every page', () => {
  const places = [
    ...listPlaces,
    ...channelPlaces({ channel: 1, output: 1 }),
    ...devicePlaces,
    ...settingsPlaces,
    ...peoplePlaces,
    ...signInPlaces,
  ];
  const visited = places.map(({ path }) => path.replace(/\?.*/, ''));
  const isVisited = (path: string) => {
    const pattern = new RegExp(`^${path.replaceAll(/\/:\w+\?/g, '').replaceAll(/:\w+/g, '[^/]+')}$`);
    return visited.some((one) => pattern.test(one));
  };
  expect(Object.values(paths).filter((path) => !isVisited(path) && !elsewhere.includes(path))).toEqual([]);
});
