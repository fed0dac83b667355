/** Scrolls the operation log in a real browser at the speed of a mouse wheel, and measures what a user sees. */
import { existsSync } from 'node:fs';
import { type Page, chromium as playwright } from '@playwright/test';
import { cookieNames } from '../../../daemon/contract/auth.ts';
import { chromium } from '../../e2e/browser.ts';
import type { BenchHub } from '../hub.ts';
import type { ScrollResult } from '../report/result.ts';

const scrollMs = 10_000;
/** A wheel turned continuously. */
const pixelsPerFrame = 100;

/** Undefined without Chromium. */
export async function scrollLog(hub: BenchHub): Promise<ScrollResult | undefined> {
  if (!existsSync(chromium.executablePath)) return undefined;
  const browser = await playwright.launch(chromium);
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
    const value = hub.cookie.split('=')[1] ?? '';
    await context.addCookies([{ name: cookieNames.sid, value, url: hub.url }]);
    const page = await context.newPage();
    await page.goto(`${hub.url}/#/settings/logs`);
    await page.locator('main tbody tr').first().waitFor();
    return await scroll(page);
  } finally {
    await browser.close();
  }
}

function scroll(page: Page): Promise<ScrollResult> {
  return page.locator('main section[tabindex]').evaluate(
    async (list, { forMs, step }) => {
      const longTasks: number[] = [];
      const observer = new PerformanceObserver((seen) => {
        longTasks.push(...seen.getEntries().map(({ duration }) => duration));
      });
      observer.observe({ entryTypes: ['longtask'] });
      const gaps: number[] = [];
      let maxRows = 0;
      const began = performance.now();
      for (let last = began; last - began < forMs; ) {
        list.scrollTop += step;
        await new Promise(requestAnimationFrame);
        const now = performance.now();
        gaps.push(now - last);
        last = now;
        maxRows = Math.max(maxRows, list.querySelectorAll('tr').length);
      }
      return { gaps, longTasks, maxRows, pixels: list.scrollTop };
    },
    { forMs: scrollMs, step: pixelsPerFrame },
  );
}
