import { axeFaults } from './axe.ts';
import { expect, test } from './console-test.ts';
import { notSignedIn } from './page-faults.ts';
import type { Stage } from './stage.ts';

const views = {
  'a desk in light': { colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  'a desk in dark': { colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
  'a phone in light': { colorScheme: 'light', viewport: { width: 390, height: 844 } },
  'a phone in dark': { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
} as const;

type Place = [path: string, role: 'heading' | 'dialog', name: RegExp];

async function furnished(stage: Stage): Promise<{ id: number; output: number }> {
  const channel = await stage.liveChannel('Axe');
  await stage.output(channel, 'Refused', { url: 'rtmp://127.0.0.1:9/live', key: 'k' });
  const output = await stage.output(channel, 'Sent', { type: 1, url: 'udp://127.0.0.1:9' });
  await stage.channel('Axe waiting');
  return { id: channel.id, output };
}

const ofPeople: readonly Place[] = [
  ['/settings/user', 'heading', /^Users and groups$/],
  ['/settings/user?dialog=add', 'dialog', /^Add user$/],
  ['/settings/user?dialog=edit&id=2', 'dialog', /^Edit user “viewer”$/],
  ['/settings/user?dialog=password&id=2', 'dialog', /^Set the password of “viewer”$/],
  ['/settings/user?dialog=add-group', 'dialog', /^Add group$/],
  ['/settings/profile', 'heading', /^Profile$/],
  ['/settings/profile?dialog=password', 'dialog', /^Change password$/],
  ['/settings/profile?dialog=keys', 'dialog', /^Keyboard$/],
  ['/settings/user-group/1', 'heading', /^Admin$/],
  ['/settings/user-group/4', 'heading', /^Viewer$/],
];

/** Where to look, and which heading or dialog says that it is there. */
function places({ id, output }: { id: number; output: number }): Place[] {
  return [
    ['/dashboard', 'heading', /^Dashboard$/],
    ['/stream/channels', 'heading', /^Channels$/],
    ['/stream/channels?q=none-of-these', 'heading', /^Channels$/],
    ['/stream/channels?dialog=add', 'dialog', /^Add channel$/],
    [`/stream/channel/detail/${id}`, 'heading', /^Axe/],
    [`/stream/channel/detail/${id}?dialog=add-output`, 'dialog', /^Add output$/],
    [`/stream/channel/detail/${id}?dialog=edit`, 'dialog', /^Edit/],
    [`/stream/channel/detail/${id}?dialog=quality-output&id=${output}`, 'dialog', /^Link quality of Sent/],
    [`/stream/channel/detail/${id}?dialog=failover`, 'dialog', /^Backup of/],
    [`/stream/channel/detail/${id}?dialog=alarms`, 'dialog', /^Alarms of/],
    [`/stream/channel/detail/${id}?dialog=preview`, 'dialog', /^Preview of/],
    ['/stream/channel/detail/999999', 'heading', /^Channel$/],
    ['/stream/input', 'heading', /^Inputs$/],
    ['/stream/input?dialog=add', 'dialog', /^Add input$/],
    ['/stream/output', 'heading', /^Outputs$/],
    ['/stream/server', 'heading', /^Servers$/],
    ['/stream/server?dialog=add', 'dialog', /^Add server$/],
    ['/settings/general', 'heading', /^General$/],
    ['/settings/logs', 'heading', /^Logs$/],
    ['/settings/logs?log=system', 'heading', /^Logs$/],
    ['/settings/logs?q=none-of-these&result=failure', 'heading', /^Logs$/],
    ['/nowhere', 'heading', /^Page not found$/],
  ];
}

for (const [view, options] of Object.entries(views)) {
  test.describe(`on ${view}`, () => {
    test.use(options);

    test('no page or dialog has a fault that axe can find', async ({ page, stage }) => {
      test.setTimeout(90_000);
      const made = await furnished(stage);
      for (const [path, role, name] of places(made)) {
        await page.goto(`/#${path}`);
        await expect(page.getByRole(role, { name }).first()).toBeVisible();
        expect.soft(await axeFaults(page), path).toEqual([]);
      }
      await page.getByRole('button', { name: 'Go to' }).click();
      await expect(page.getByRole('dialog').getByRole('option', { name: /^Axe/ }).first()).toBeVisible();
      expect.soft(await axeFaults(page), 'palette').toEqual([]);
      await page.goto('/#/stream/channels');
      await page.getByRole('button', { name: 'More actions for Axe' }).first().click();
      expect.soft(await axeFaults(page), 'row menu').toEqual([]);
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await expect(page.getByRole('dialog', { name: /^Delete/ })).toBeVisible();
      expect.soft(await axeFaults(page), 'confirm dialog').toEqual([]);
    });

    test('users and groups have none, nor what is about to be saved and what is wrong', async ({ page }) => {
      for (const [path, role, name] of ofPeople) {
        await page.goto(`/#${path}`);
        await expect(page.getByRole(role, { name }).first()).toBeVisible();
        expect.soft(await axeFaults(page), path).toEqual([]);
      }
      await page.getByRole('checkbox', { name: 'Edit inputs and outputs' }).check();
      await page.getByRole('checkbox', { name: 'View devices' }).uncheck();
      await expect(page.getByText('Members have to sign in again')).toBeVisible();
      expect.soft(await axeFaults(page), 'changed group').toEqual([]);
      await page.goto('/#/settings/user?dialog=add');
      await page.getByRole('dialog').getByRole('button', { name: 'Add user' }).click();
      await expect(page.getByText('Required').first()).toBeVisible();
      expect.soft(await axeFaults(page), 'faults of a user').toEqual([]);
    });

    test.describe('before sign-in', () => {
      test.use({ account: 'nobody' });

      test('sign-in has no fault that axe can find', async ({ page, faults }) => {
        faults.expect(notSignedIn);
        await page.goto('/#/login');
        await page.getByRole('button', { name: 'Sign in' }).click();
        await expect(page.getByText('Required').first()).toBeVisible();
        expect(await axeFaults(page)).toEqual([]);
      });
    });
  });
}
