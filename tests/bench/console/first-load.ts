/** How long pages of the console take in a real browser with a cold cache, over a slow connection on a slow machine. */
import { existsSync } from 'node:fs';
import { type Browser, chromium as playwright } from '@playwright/test';
import { cookieNames } from '../../../daemon/contract/auth.ts';
import { chromium } from '../../e2e/browser.ts';
import type { BenchHub } from '../hub.ts';
import { cpuSeconds, machineBusySeconds, processTree, threadTimes } from '../proc.ts';
import type { FirstLoad } from '../report/result.ts';

const channels = 200;
const channelName = 'Console channel';
const viewport = { width: 1440, height: 900 };
/** The slow 3G to 4G connection that browsers' tools simulate: bytes per second, and milliseconds for each request. */
const network = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 };
const cpuSlowdown = 4;
const usableTimeoutMs = 60_000;

interface Page {
  readonly what: string;
  readonly path: string;
  readonly isSignedIn: boolean;
  /** Present once the page can be used. */
  readonly usable: string;
  /** What the text of that element contains. */
  readonly text: string;
  readonly limitMs: number;
}

const pages: readonly Page[] = [
  { what: 'sign-in page', path: '/', isSignedIn: false, usable: 'input[type=password]', text: '', limitMs: 2000 },
  {
    what: 'dashboard',
    path: '/',
    isSignedIn: true,
    usable: 'main',
    text: `${channels} of ${channels} enabled`,
    limitMs: 3000,
  },
  {
    what: `list of ${channels} channels`,
    path: '/#/stream/channels',
    isSignedIn: true,
    usable: 'main tbody',
    text: channelName,
    limitMs: 4500,
  },
];

/** Empty without Chromium. */
export async function measureFirstLoads(hub: BenchHub, attempts: number): Promise<FirstLoad[]> {
  if (!existsSync(chromium.executablePath)) return [];
  for (let i = 1; i <= channels; i++) {
    const config = { enable: true, 'push-key': `console-push-${i}`, 'play-key': `console-play-${i}` };
    await hub.call('/api/channel/add', { name: `${channelName} ${i}`, config });
  }
  const browser = await playwright.launch(chromium);
  try {
    const loads: FirstLoad[] = [];
    for (const { what, limitMs, ...page } of pages) {
      const runs = [];
      for (let i = 0; i < attempts; i++) runs.push(await load(browser, hub, page));
      loads.push({ what, limitMs, runs });
    }
    return loads;
  } finally {
    await browser.close();
  }
}

async function load(browser: Browser, hub: BenchHub, wanted: Omit<Page, 'what' | 'limitMs'>) {
  const context = await browser.newContext({ viewport, reducedMotion: 'reduce' });
  try {
    const sid = hub.cookie.split('=')[1] ?? '';
    // The second is any user's id, which the console takes as a sign of a session.
    const cookies = { [cookieNames.sid]: sid, [cookieNames.uid]: '1' };
    const entries = Object.entries(wanted.isSignedIn ? cookies : {});
    await context.addCookies(entries.map(([name, value]) => ({ name, value, url: hub.url })));
    const page = await context.newPage();
    const tools = await context.newCDPSession(page);
    let [requests, bytes] = [0, 0];
    tools.on('Network.requestWillBeSent', () => requests++);
    tools.on('Network.dataReceived', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await tools.send('Network.enable');
    await tools.send('Network.emulateNetworkConditions', network);
    await tools.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown });
    const meter = startMeter();
    await page.goto(`${hub.url}${wanted.path}`, { waitUntil: 'commit' });
    const usable = await page.waitForFunction(
      ({ usable, text }) =>
        document.querySelector(usable)?.textContent.includes(text) === true ? performance.now() : undefined,
      { usable: wanted.usable, text: wanted.text },
      { timeout: usableTimeoutMs, polling: 'raf' },
    );
    return { ms: (await usable.jsonValue()) ?? Number.NaN, requests, bytes, othersCpu: meter() };
  } finally {
    await context.close();
  }
}

/** CPU used by neither the browser, the hub nor the bench until the meter is read, in cores. */
function startMeter(): () => number {
  const own = () => threadTimes(processTree(process.pid));
  const [busy, before, at] = [machineBusySeconds(), own(), performance.now()];
  return () => Math.max(0, machineBusySeconds() - busy - cpuSeconds(before, own())) / ((performance.now() - at) / 1000);
}
