import type { Page } from '@playwright/test';
import { expect, test } from './console-test.ts';

/** Browsers rate a total of 0.1 as good; a page that only shows numbers must not exceed it. */
const allowedShift = 0.1;
const watchedSeconds = 4;

declare global {
  interface Window {
    /** Sum of the layout shifts since the page was loaded. */
    layoutShift?: number;
  }
}

/** `buffered`: includes earlier shifts. */
function countShifts(buffered: boolean): void {
  window.layoutShift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      window.layoutShift = (window.layoutShift ?? 0) + (entry as LayoutShift).value;
  }).observe({ type: 'layout-shift', buffered });
}
interface LayoutShift extends PerformanceEntry {
  readonly value: number;
}

/** Waits until the hub has sent this many seconds of data to the page: its uptime clock has advanced. */
async function watchLive(page: Page, clock: () => Promise<string | null>): Promise<number> {
  const seen = new Set<string | null>();
  await expect.poll(async () => seen.add(await clock()).size, { intervals: [200] }).toBeGreaterThan(watchedSeconds);
  return page.evaluate(() => window.layoutShift ?? Number.NaN);
}

test('nothing on the page of a channel moves while numbers change', async ({ page, stage }) => {
  const channel = await stage.liveChannel('Steady page');
  await stage.output(channel, 'Sent', { type: 1, url: 'udp://127.0.0.1:9' });
  await stage.output(channel, 'Refused', { url: 'rtmp://127.0.0.1:9/live', key: 'k' });
  await page.goto(`/#/stream/channel/detail/${channel.id}`);
  const outputs = page.getByRole('table', { name: 'Outputs of this channel' });
  const sent = outputs.getByRole('row').filter({ hasText: 'Sent' });
  await expect(sent).toContainText('Running');
  await expect(page.getByRole('region', { name: 'Run history', exact: true })).toContainText('Refused');
  // Counting starts when the page is complete.
  await page.evaluate(countShifts, false);
  expect(await watchLive(page, () => sent.textContent())).toBeLessThan(allowedShift);
});

for (const [place, path, role] of [
  ['the dashboard', '/#/dashboard', 'listitem'],
  ['the list', '/#/stream/channels', 'row'],
] as const) {
  test(`nothing on ${place} moves while numbers change`, async ({ page, stage }) => {
    const channel = await stage.liveChannel('Steady');
    await page.addInitScript(countShifts, true);
    await page.goto(path);
    const row = page.getByRole(role);
    const clock = () => row.filter({ hasText: channel.name }).first().textContent();
    expect(await watchLive(page, clock)).toBeLessThan(allowedShift);
  });
}

for (const [place, path, last] of [
  ['the dashboard', '/#/dashboard', 'On air'],
  ['the page About', '/#/settings/about', 'License'],
] as const) {
  test(`nothing on ${place} moves on a phone while it loads`, async ({ page, stage }) => {
    await stage.liveChannel('Steady');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.addInitScript(countShifts, true);
    await page.goto(path);
    await expect(page.getByRole('region', { name: last })).toBeVisible();
    // The browser reports a shift after the frame that shows it.
    const idle = () => new Promise((done) => requestIdleCallback(() => done(window.layoutShift)));
    expect(await page.evaluate(idle)).toBeLessThan(allowedShift);
  });
}
