/** `test` of every flow: a real hub per worker, a signed-in page, and no unexpected errors in the browser. */
import { test as base, expect } from '@playwright/test';
import { type HubProcess, startHub } from '../integration/hub-process.ts';
import { killAll } from '../integration/live-media.ts';
import { type Account, addViewer, signInCookie } from './accounts.ts';
import { type PageFaults, watchFaults } from './page-faults.ts';
import { createStage, type Stage } from './stage.ts';

interface Shared {
  /** What is started as the hub. Default: the program. */
  readonly main: string | undefined;
  /** Value of SIGNALBOX_FEATURES, for tests of what the console shows only on hubs that have it. */
  readonly features: string;
  readonly hub: HubProcess;
  readonly cookies: Readonly<Record<Account, Awaited<ReturnType<typeof signInCookie>>>>;
}
interface Own {
  /** The signed-in user when the test starts; `nobody` for the pages before sign-in. */
  readonly account: Account | 'nobody';
  /** The hub's errors that the test causes. */
  readonly meantFault: RegExp | undefined;
  readonly faults: PageFaults;
  readonly stage: Stage;
}

const hubFault = / error /;

export const test = base.extend<Own, Shared>({
  account: ['admin', { option: true }],
  meantFault: [undefined, { option: true }],
  main: [undefined, { option: true, scope: 'worker' }],
  features: ['none', { option: true, scope: 'worker' }],
  hub: [
    async ({ main, features }, use) => {
      const program = main === undefined ? {} : { program: [process.execPath, main] };
      const hub = await startHub({ env: { SIGNALBOX_FEATURES: features }, ...program });
      await hub.login();
      await addViewer(hub);
      await use(hub);
      await hub.stop();
    },
    { scope: 'worker' },
  ],
  cookies: [
    async ({ hub }, use) => {
      await use({ admin: await signInCookie(hub, 'admin'), viewer: await signInCookie(hub, 'viewer') });
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ hub }, use) => use(hub.url),
  context: async ({ context, cookies, account }, use) => {
    if (account !== 'nobody') await context.addCookies([cookies[account]]);
    await use(context);
  },
  faults: [
    async ({ context, hub, meantFault }, use) => {
      const faults = await watchFaults(context);
      const began = hub.logs().length;
      await use(faults);
      expect(faults.unexpected()).toEqual([]);
      const lines = hub.logs().slice(began).split('\n');
      expect(lines.filter((line) => hubFault.test(line) && !meantFault?.test(line))).toEqual([]);
    },
    { auto: true },
  ],
  stage: async ({ hub, context }, use) => {
    const stage = createStage(hub);
    await use(stage);
    // Leaves all pages first: they would request channels that no longer exist.
    await Promise.all(context.pages().map((page) => page.goto('about:blank')));
    await killAll();
    await stage.clear();
  },
});

export { expect };
