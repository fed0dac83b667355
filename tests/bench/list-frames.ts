/**
 * Frame times of the channel list while it scrolls and all of its 200 channels change every second, with the CPU of the
 * browser throttled to a quarter: `bun tests/bench/list-frames.ts [CPU divisor]`. Uses web/dist and the hub double.
 */
import { join } from 'node:path';
import { chromium as playwright } from '@playwright/test';
import { chromium } from '../e2e/browser.ts';
import { leasePort } from '../support/ports.ts';

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
  const sorted = frames.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  console.log(
    `CPU/${divisor}: ${frames.length} frames, median ${at(0.5)} ms, p95 ${at(0.95)} ms, worst ${at(1)} ms, ` +
      `${frames.filter((ms) => ms > 200).length} over 200 ms`,
  );
} finally {
  await browser.close();
  double.kill();
}

/** Scrolls up and down in the page; returns the time of each frame. */
function scrollAndWatch(forMs: number): Promise<number[]> {
  const main = document.querySelector('main');
  const frames: number[] = [];
  return new Promise((resolve) => {
    const began = performance.now();
    let last = began;
    let step = 24;
    const frame = () => {
      const now = performance.now();
      frames.push(now - last);
      last = now;
      if (now - began > forMs || main === null) return resolve(frames);
      const before = main.scrollTop;
      main.scrollTop += step;
      if (main.scrollTop === before) step = -step;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
}
