/** Screenshots of both logs: full, filtered, empty, loading, and failed. */
import type { Page } from '@playwright/test';
import { type Shot, still } from './shot.ts';

const operations = '/settings/logs';
const system = '/settings/logs?log=system';
const logCalls = '**/api/{log,syslog}/list**';

export const logShots: readonly Shot[] = [
  { name: 'logs', path: operations },
  { name: 'logs-failures', path: `${operations}?result=failure&user=Operator`, act: unfold },
  { name: 'logs-none-match', path: `${operations}?q=nothing-like-this` },
  { name: 'logs-reversed', path: `${operations}?from=2026-02-01T10:00&to=2026-01-01T10:00`, act: unfold },
  { name: 'logs-further-down', path: operations, act: scrollDown },
  { name: 'logs-loading', path: operations, before: hold, act: untilBones, isWaiting: true },
  { name: 'logs-error', path: operations, before: fail },
  { name: 'system-log', path: system },
  { name: 'system-log-faults', path: `${system}&level=warn,error`, act: unfold },
  { name: 'system-log-paused', path: system, act: pause },
  { name: 'system-log-none-match', path: `${system}&q=nothing-like-this` },
];

async function hold(page: Page): Promise<void> {
  await page.route(logCalls, () => undefined);
}

async function fail(page: Page): Promise<void> {
  await page.route(logCalls, (route) => route.fulfill({ json: { result: 13 } }));
}

/** The placeholders of the log, after those of the page. */
async function untilBones(page: Page): Promise<void> {
  await page.locator('section[aria-busy="true"] span').first().waitFor();
  await still(page);
}

/** A phone shows the filters on demand. */
async function unfold(page: Page): Promise<void> {
  const filters = page.locator('main button[aria-expanded="false"]');
  if ((await filters.count()) > 0) await filters.click();
}

async function scrollDown(page: Page): Promise<void> {
  await page.locator('main section[tabindex]').evaluate((list) => list.scrollTo({ top: 900 }));
  await page.locator('main button[class*="toTop"]').waitFor();
}

/** Until a new line is waiting: refused outputs cause them. */
async function pause(page: Page): Promise<void> {
  await scrollDown(page);
  await page.locator('main [class*="over"] button').waitFor();
}
