/**
 * Frame times of the list of 5,000 devices while it scrolls, with the CPU of the browser throttled to a quarter:
 * `bun tests/bench/device-frames.ts [CPU divisor] [devices]`. A whole hub in this process has devices in memory, each of
 * which reports new figures every 15 s, those that the page watches every second. Uses web/dist.
 */
import { join } from 'node:path';
import { chromium as playwright } from '@playwright/test';
import { cookieNames } from '../../daemon/contract/cookie-names.ts';
import { createFleetDouble, identityOf } from '../../daemon/devices/fleet-double-for-test.ts';
import { chromium } from '../e2e/browser.ts';
import { composedHub } from '../fixtures/composed-hub.ts';
import { scrollAndWatch, summaryOf } from './frames.ts';

const divisor = Number(process.argv[2] ?? 4);
const count = Number(process.argv[3] ?? 5000);
const watchedMs = 20_000;
const pollSeconds = 15;
const dist = join(import.meta.dir, '../../web/dist');

const fleet = createFleetDouble();
const composed = await composedHub({ devices: fleet, sleep: Bun.sleep, env: { SIGNALBOX_FEATURES: 'devices' } });
composed.hub.start();
const admin = await composed.signIn('Admin');
const sns = Array.from({ length: count }, (_, at) => `B313${String(240_000_000 + at)}`);
for (let from = 0; from < count; from += 64) {
  const list = sns.slice(from, from + 64).map((sn, at) => {
    const address = `10.${(from + at) >> 16}.${((from + at) >> 8) & 255}.${(from + at) & 255}`;
    fleet.at.set(address, { identity: identityOf(sn, { name: `Encoder ${from + at}` }), api: 'usapi' });
    return { address, user: 'Admin', password: 'Admin' };
  });
  await composed.post('/api/device/add', { list }, admin);
}
const report = (sn: string) => {
  const figure = () => Math.round(Math.random() * 100);
  const kbps = 4000 + figure() * 20;
  fleet.online(sn, {
    identity: identityOf(sn, { name: `Encoder ${sns.indexOf(sn)}` }),
    ...{ cpu: figure(), memory: figure(), temperature: 40 + (figure() % 30) },
    ethernet: { address: '10.20.30.81', 'rx-kbps': figure() * 10, 'tx-kbps': kbps },
    signal: { state: 'present', text: '1920x1080p, 50.00 Hz' },
    main: { codec: 'h264', kbps: 6000, 'cur-kbps': kbps },
    streams: [{ id: '1', name: 'Hub', protocol: 'SRT caller', state: 'running', kbps }],
  });
};
for (const sn of sns) report(sn);
let next = 0;
const polling = setInterval(() => {
  const due = Math.ceil(count / pollSeconds / 10);
  for (let at = 0; at < due; at++) report(sns[(next + at) % count] ?? '');
  next += due;
}, 100);
const watching = setInterval(() => {
  for (const [sn, holders] of fleet.holders) if (holders > 0) report(sn);
}, 1000);

let eventBytes = 0;
const counting = () =>
  new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      eventBytes += chunk.length;
      controller.enqueue(chunk);
    },
  });
const server = Bun.serve({
  port: 0,
  idleTimeout: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (!pathname.startsWith('/api/'))
      return new Response(Bun.file(join(dist, pathname === '/' ? 'index.html' : pathname)));
    const answer = await composed.hub.app.fetch(request, { ip: '127.0.0.1', isSecure: false, keepOpen: () => {} });
    if (pathname !== '/api/events' || answer.body === null) return answer;
    return new Response(answer.body.pipeThrough(counting()), answer);
  },
});

const browser = await playwright.launch(chromium);
try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' });
  const url = `http://127.0.0.1:${server.port}`;
  await context.addCookies([{ name: cookieNames.sid, value: admin, url }]);
  const page = await context.newPage();
  await page.goto(`${url}/#/devices/all`);
  await page.getByRole('combobox', { name: 'Per page' }).selectOption('100');
  await page.getByRole('row').nth(100).waitFor();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: divisor });
  // In thread time, so that other programs do not count.
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busySeconds = async () =>
    (await devtools.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
  const [bytesBefore, busyBefore] = [eventBytes, await busySeconds()];
  const frames = await page.evaluate(scrollAndWatch, watchedMs);
  const kilobytes = (eventBytes - bytesBefore) / 1000 / (watchedMs / 1000);
  const busy = ((await busySeconds()) - busyBefore) / (watchedMs / 1000);
  console.log(
    `${count} devices, CPU/${divisor}: ${summaryOf(frames)}; events ${kilobytes.toFixed(1)} kB/s; main thread ${Math.round(busy * 100)} %`,
  );
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 1 });
} finally {
  clearInterval(polling);
  clearInterval(watching);
  await browser.close();
  await server.stop(true);
  composed.remove();
}
process.exit(0);
