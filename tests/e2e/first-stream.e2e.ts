import type { Page } from '@playwright/test';
import { type HubProcess, startHub } from '../integration/hub-process.ts';
import { signInCookie } from './accounts.ts';
import { axeFaults } from './axe.ts';
import { expect, test } from './console-test.ts';
import { notSignedIn } from './page-faults.ts';
import { encode } from './stage.ts';
import { showIn } from './views.ts';

/** Counts what a user does, and does nothing else. */
function handsOf(page: Page) {
  const done = { clicks: 0, fields: 0 };
  return {
    done,
    async fill(label: string, text: string) {
      done.fields++;
      await page.getByLabel(label, { exact: true }).fill(text);
    },
    async click(role: 'button' | 'link' | 'radio', name: string) {
      done.clicks++;
      await page.getByRole(role, { name, exact: true }).last().click();
    },
  };
}

/** The value in a line of the guide. */
const lineOf = (page: Page, label: string) =>
  page
    .getByRole('region', { name: 'Waiting for an encoder' })
    .locator('div:has(> code)', { has: page.getByText(label, { exact: true }) })
    .locator('code');

test.describe('a hub that was just installed', () => {
  test.use({ account: 'nobody' });

  test('is live after four clicks and three fields, with what the pages show', async ({ page, faults }) => {
    const fresh = await startHub({ env: { SIGNALBOX_ADMIN_PASSWORD: '' } });
    try {
      faults.expect(notSignedIn, /\b(409|403|503)\b.*\/api\/session/);
      const hands = handsOf(page);
      await page.goto(fresh.url);
      await hands.fill('Password', 'Over-the-hill1');
      await hands.fill('Repeat the password', 'Over-the-hill1');
      await hands.click('button', 'Create account and continue');
      await expect(page.getByRole('region', { name: 'Three steps to the first stream' })).toBeVisible();
      await hands.click('link', 'Add channel');
      await hands.fill('Name', 'First show');
      await hands.click('button', 'Add channel');
      await expect(page.getByRole('heading', { name: 'First show', level: 1 })).toBeVisible();
      await hands.click('button', 'Show the key');
      await expect(lineOf(page, 'Stream key')).toHaveText(/^PUSH-/);

      const [server, key] = [
        await lineOf(page, 'Server').textContent(),
        await lineOf(page, 'Stream key').textContent(),
      ];
      encode(`${server}/${key}`);
      await expect(page.getByRole('region', { name: 'The first stream has arrived' })).toBeVisible({ timeout: 20_000 });
      expect(hands.done).toEqual({ clicks: 4, fields: 3 });
      await page.getByRole('button', { name: 'Watch it' }).click();
      await expect(page.getByRole('region', { name: /^Preview of/ }).locator('video')).toBeVisible();
    } finally {
      await page.goto('about:blank');
      await fresh.stop();
    }
  });
});

async function addWaiting(hub: HubProcess): Promise<number> {
  return (await hub.api<{ id: number }>('/api/channel/add', { name: 'Roof', config: { enable: true } })).id;
}

test('the guide fits every width, for every encoder, without accessibility faults', async ({ page, context }) => {
  const hub = await startHub({});
  try {
    await hub.login();
    const id = await addWaiting(hub);
    await context.addCookies([await signInCookie(hub, 'admin')]);
    await page.goto(`${hub.url}/#/stream/channel/detail/${id}`);
    const guide = page.getByRole('region', { name: 'Waiting for an encoder' });
    await expect(guide).toBeVisible();
    for (const width of [1440, 820, 390]) {
      await page.setViewportSize({ width, height: 900 });
      for (const name of ['OBS', 'vMix', 'Larix', 'FFmpeg', 'Other SRT']) {
        await guide.getByText(name, { exact: true }).click();
        const overflow = await guide.evaluate((element) => element.scrollWidth - element.clientWidth);
        expect(overflow, `${name} at ${width}`).toBeLessThanOrEqual(0);
      }
    }
    await guide.getByText('Larix', { exact: true }).click();
    await guide.getByRole('button', { name: 'Show the QR code' }).click();
    await expect(guide.getByRole('img', { name: 'QR code for Larix Broadcaster' })).toBeVisible();
    for (const colorScheme of ['dark', 'light'] as const) {
      await showIn(page, colorScheme);
      expect(await axeFaults(page), colorScheme).toEqual([]);
    }
  } finally {
    await page.goto('about:blank');
    await hub.stop();
  }
});
