import type { Page } from '@playwright/test';
import { expect, test } from './console-test.ts';

/** What a browser calls good is 0.1 in all; a page that only shows numbers has no excuse for more. */
const allowedShift = 0.1;
const watchedSeconds = 4;

declare global {
  interface Window {
    /** Sum of the shifts since the page was loaded. */
    layoutShift?: number;
  }
}

function countShifts(): void {
  window.layoutShift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      window.layoutShift = (window.layoutShift ?? 0) + (entry as LayoutShift).value;
  }).observe({ type: 'layout-shift', buffered: true });
}
interface LayoutShift extends PerformanceEntry {
  readonly value: number;
}

/** Waits until the hub has sent so many seconds of numbers to the page: its clock of the run time has moved on. */
async function watchLive(page: Page, clock: () => Promise<string | null>): Promise<number> {
  const seen = new Set<string | null>();
  await expect.poll(async () => seen.add(await clock()).size, { intervals: [200] }).toBeGreaterThan(watchedSeconds);
  return page.evaluate(() => window.layoutShift ?? Number.NaN);
}

for (const [place, path, role] of [
  ['the dashboard', '/#/dashboard', 'listitem'],
  ['the list', '/#/stream/channels', 'row'],
] as const) {
  test(`nothing on ${place} moves while numbers change`, async ({ page, stage }) => {
    const channel = await stage.liveChannel('Steady');
    await page.addInitScript(countShifts);
    await page.goto(path);
    const row = page.getByRole(role);
    const clock = () => row.filter({ hasText: channel.name }).first().textContent();
    expect(await watchLive(page, clock)).toBeLessThan(allowedShift);
  });
}
