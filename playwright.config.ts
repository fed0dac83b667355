import { defineConfig } from '@playwright/test';
import { chromium } from './tests/e2e/browser.ts';

/** The console as it ships (web/dist) on real hubs: one hub and one browser per worker. */
export default defineConfig({
  testDir: 'tests/e2e',
  testMatch: '**/*.e2e.ts',
  outputDir: 'test-results',
  // Two cores are all we count on.
  workers: 2,
  // Every test has channels of its own, and hubs are not shared between workers.
  fullyParallel: true,
  // What fails once is a fault to be found, not to be tried again.
  retries: 0,
  // A console that does not load fails everywhere, slowly.
  maxFailures: 12,
  forbidOnly: process.env.CI !== undefined,
  timeout: 45_000,
  expect: { timeout: 10_000 },
  reporter: 'list',
  use: {
    browserName: 'chromium',
    launchOptions: chromium,
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    colorScheme: 'light',
    reducedMotion: 'reduce',
    actionTimeout: 10_000,
    navigationTimeout: 15_000,
    // `--trace retain-on-failure` when a fault is looked for: it costs an eighth more.
    trace: 'off',
    screenshot: 'only-on-failure',
  },
});
