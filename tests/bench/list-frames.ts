/**
 * Frame times of the channel list while it scrolls and all of its 200 channels change every second, with the CPU of the
 * browser throttled to a quarter: `bun tests/bench/list-frames.ts [CPU divisor]`. Uses web/dist and the hub double.
 */
import { join } from 'node:path';
import { chromium as playwright } from '@playwright/test';
import { chromium } from '../e2e/browser.ts';
import { leasePort } from '../support/ports.ts';
import { scrollAndWatch, summaryOf } from './frames.ts';

const divisor = Number(process.argv[2] ?? 4);
const watchedMs = 12_000;

const port = leasePort();
const double = Bun.spawn([process.execPath, join(import.meta.dir, '../sim/hub-double.ts'), String(port), '200'], {
  stdout: 'pipe',
});
await double.stdout.getReader().read();
const browser = await playwright.launch(chromium);
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' });
  await page.goto(`http://127.0.0.1:${port}/#/login`);
  await page.getByRole('textbox', { name: 'Username' }).fill('Admin');
  await page.getByLabel('Password', { exact: true }).fill('any');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
  await page.evaluate(() => localStorage.clear());
  await page.goto(`http://127.0.0.1:${port}/#/stream/channels`);
  await page.getByRole('combobox', { name: 'Per page' }).selectOption('100');
  await page.getByRole('row').nth(100).waitFor();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: divisor });
  const frames = await page.evaluate(scrollAndWatch, watchedMs);
  console.log(`CPU/${divisor}: ${summaryOf(frames)}`);
} finally {
  await browser.close();
  double.kill();
}
