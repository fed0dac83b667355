/**
 * Frame times of the matrix of the NDI router while it scrolls, and the frames until a click and a key show, with the CPU
 * of the browser throttled to a quarter: `bun tests/bench/matrix-frames.ts [CPU divisor]`. A whole hub in this process has
 * the network of sources in memory, with a route changed every 100 ms. Uses web/dist.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Page, chromium as playwright } from '@playwright/test';
import { cookieNames } from '../../daemon/contract/cookie-names.ts';
import { createRouterDouble } from '../../daemon/ndi/router-double-for-test.ts';
import { chromium } from '../e2e/browser.ts';
import { composedHub } from '../fixtures/composed-hub.ts';
import { summaryOf } from './frames.ts';

const sizes = [
  { inputs: 64, outputs: 64 },
  { inputs: 256, outputs: 128 },
] as const;
const dist = join(import.meta.dir, '../../web/dist');
const source = (at: number) => `HOST-${at % 16} (Camera ${at})`;

/** Runs in the browser: scrolls right, down and back. */
async function scrollMatrix(): Promise<number[]> {
  const grid = document.querySelector('[role=grid]');
  const frames: number[] = [];
  const nextFrame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));
  let last = await nextFrame();
  for (const [right, down] of [
    [24, 0],
    [0, 24],
    [-24, -24],
  ] as const) {
    for (let step = 0; step < 200; step++) {
      grid?.scrollBy(right, down);
      const now = await nextFrame();
      frames.push(now - last);
      last = now;
    }
  }
  return frames;
}

/** Runs in the browser: the most frames until a click on a free crosspoint, and a key, have changed the page. */
async function answerFrames(): Promise<{ click: number; key: number }> {
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const until = async (isDone: () => boolean) => {
    let frames = 0;
    for (; !isDone() && frames < 60; frames++) await nextFrame();
    return frames;
  };
  const grid = document.querySelector<HTMLElement>('[role=grid]');
  const most = { click: 0, key: 0 };
  for (let at = 0; at < 20; at++) {
    const free = [...document.querySelectorAll<HTMLElement>('[role=gridcell][data-kind=item]:not([data-mark])')];
    const cell = free[(at * 37) % free.length];
    await nextFrame();
    cell?.click();
    most.click = Math.max(most.click, await until(() => cell?.dataset.mark !== undefined));
    const before = grid?.getAttribute('aria-activedescendant');
    grid?.dispatchEvent(new KeyboardEvent('keydown', { key: at % 2 ? 'ArrowDown' : 'ArrowRight', bubbles: true }));
    most.key = Math.max(most.key, await until(() => grid?.getAttribute('aria-activedescendant') !== before));
  }
  return most;
}

/** The matrix of one size. */
export interface MatrixFrames {
  readonly inputs: number;
  readonly outputs: number;
  /** Milliseconds of each frame while it scrolls. */
  readonly frames: readonly number[];
  /** Share of this time in which the browser's main thread was busy. */
  readonly busy: number;
  /** The most frames until a click, and a key, was visible. */
  readonly click: number;
  readonly key: number;
}

async function measure(page: Page, url: string, { inputs, outputs }: (typeof sizes)[number], divisor: number) {
  const devtools = await page.context().newCDPSession(page);
  await page.goto(`${url}/#/dashboard`);
  await page.goto(`${url}/#/ndi-router`);
  await page.getByRole('grid').waitFor();
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: divisor });
  // In thread time, so that other programs do not count.
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busySeconds = async () =>
    (await devtools.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
  const [before, began] = [await busySeconds(), performance.now()];
  const frames = await page.evaluate(scrollMatrix);
  const busy = ((await busySeconds()) - before) / ((performance.now() - began) / 1000);
  return { inputs, outputs, frames, busy, ...(await page.evaluate(answerFrames)) } satisfies MatrixFrames;
}

async function measureSize(size: (typeof sizes)[number], divisor: number): Promise<MatrixFrames> {
  const { inputs, outputs } = size;
  const names = Array.from({ length: inputs }, (_, at) => source(at + 1));
  const composed = await composedHub({
    ndi: createRouterDouble(names),
    env: { SIGNALBOX_FEATURES: 'ndi-router' },
    sleep: Bun.sleep,
  });
  composed.hub.start();
  const admin = await composed.signIn('Admin');
  await composed.post('/api/ndi/router/set', { 'base-name': 'HUB', inputs, outputs }, admin);
  for (const [at, name] of names.entries()) {
    await composed.post('/api/ndi/router/input/set', { id: at + 1, source: name, group: `HOST-${at % 16}` }, admin);
  }
  const switching = setInterval(() => {
    const route = { out: 1 + Math.floor(Math.random() * outputs), in: 1 + Math.floor(Math.random() * inputs) };
    void composed.post('/api/ndi/router/route', { routes: [route] }, admin);
  }, 100);
  const server = Bun.serve({
    port: 0,
    idleTimeout: 0,
    fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname.startsWith('/api/'))
        return composed.hub.app.fetch(request, { ip: '127.0.0.1', isSecure: false, keepOpen: () => {} });
      return new Response(Bun.file(join(dist, pathname === '/' ? 'index.html' : pathname)));
    },
  });
  const browser = await playwright.launch(chromium);
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' });
    const url = `http://127.0.0.1:${server.port}`;
    await context.addCookies([{ name: cookieNames.sid, value: admin, url }]);
    return await measure(await context.newPage(), url, size, divisor);
  } finally {
    clearInterval(switching);
    await browser.close();
    await server.stop(true);
    await composed.hub.close();
    composed.remove();
  }
}

/** `divisor`: by how much the browser's CPU is slowed down. Empty without Chromium or the built console. */
export async function measureMatrixFrames(divisor: number): Promise<MatrixFrames[]> {
  if (!existsSync(chromium.executablePath) || !existsSync(join(dist, 'index.html'))) return [];
  const found: MatrixFrames[] = [];
  for (const size of sizes) found.push(await measureSize(size, divisor));
  return found;
}

if (import.meta.main) {
  const divisor = Number(process.argv[2] ?? 4);
  for (const { inputs, outputs, frames, busy, click, key } of await measureMatrixFrames(divisor)) {
    console.log(
      `${inputs} x ${outputs}, CPU/${divisor}: ${summaryOf(frames)}; main thread ${Math.round(busy * 100)} %; ` +
        `a click shows after ${click} frames, a key after ${key}`,
    );
  }
  process.exit(0);
}
