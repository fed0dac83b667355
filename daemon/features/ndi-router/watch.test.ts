/** What the router does by itself, on a clock of the test. */
import { afterEach, expect, test } from 'bun:test';
import { type AddressInfo, createServer } from 'node:net';
import { until } from '../../../tests/support/until.ts';
import { limits } from '../../contract/limits.ts';
import { createLog } from '../../lib/log.ts';
import { createRouterDouble } from '../../ndi/router-double-for-test.ts';
import { memoryDatabase } from '../../store/memory-database-for-test.ts';
import { timing } from '../../timing.ts';
import { createAudit } from '../logs/audit.ts';
import { createNdiRouterFeature } from './feature.ts';
import { createNdiPanels } from './panels.ts';
import { createNdiRouterService, type NdiRouterService } from './service.ts';

let service: NdiRouterService | undefined;
afterEach(() => service?.close());

const times = { lostMs: 2000, backMs: 5000, settleMs: 10_000 };
const caller = { actor: { name: 'vera', ip: '192.0.2.7' } };

function manualClock() {
  let time = 0;
  let due: { readonly at: number; readonly work: () => void }[] = [];
  return {
    elapsed: () => time,
    after(ms: number, work: () => void) {
      const entry = { at: time + ms, work };
      due.push(entry);
      return () => {
        due = due.filter((one) => one !== entry);
      };
    },
    /** Time passes step by step, so that work that is due runs at its time. */
    pass(ms: number): void {
      const end = time + ms;
      for (;;) {
        const next = due.toSorted((a, b) => a.at - b.at)[0];
        if (next === undefined || next.at > end) break;
        time = next.at;
        due = due.filter((one) => one !== next);
        next.work();
      }
      time = end;
    },
  };
}

/** Output 1 has CAM (1) with CAM (2) as its substitute; the network has settled. */
async function protectedRouter() {
  const db = memoryDatabase();
  const ndi = createRouterDouble(['CAM (1)', 'CAM (2)']);
  const clock = manualClock();
  const router = createNdiRouterService({
    ...{ db, audit: createAudit(() => 1), log: createLog('error'), now: () => 1, port: ndi.port, clock, times },
    ...{ defaultBaseName: 'HUB', discovery: () => ({ servers: '', extraIps: '', groups: { send: '', receive: '' } }) },
  });
  service = router;
  await router.setInput(caller, { source: 'CAM (1)', failover: 2 });
  await router.setInput(caller, { source: 'CAM (2)' });
  await router.route(caller, { routes: [{ out: 1, in: 1 }] });
  const entries = () =>
    db.query.operationLog
      .findMany()
      .sync()
      .map(({ user, detail }) => `${user}: ${detail}`);
  /** The process applies a route a moment after it was told. */
  const picture = async () => {
    await Bun.sleep(0);
    return ndi.pictureOf(1);
  };
  return { ndi, clock, router, entries, picture, db };
}

test('the substitute takes over after two seconds, and the source gets its output back after five', async () => {
  const { ndi, clock, router, entries, picture } = await protectedRouter();
  clock.pass(10_000);
  ndi.removeSource('CAM (1)');
  clock.pass(1999);
  expect(await picture()).toBeNull();
  clock.pass(1);
  expect(await picture()).toBe('CAM (2)');
  expect(router.core.showOutput(1)).toMatchObject({ in: 1, substitute: 2, source: 'CAM (2)' });
  ndi.addSource('CAM (1)');
  clock.pass(4999);
  expect(await picture()).toBe('CAM (2)');
  clock.pass(1);
  expect(await picture()).toBe('CAM (1)');
  expect(entries().slice(-2)).toEqual([
    ': 1 Out 1: to input 2 CAM (2), from input 1 CAM (1), by failover',
    ': 1 Out 1: to input 1 CAM (1), from input 2 CAM (2), by failover',
  ]);
});

test('a source that is back for less than five seconds does not get its output back', async () => {
  const { ndi, clock, picture } = await protectedRouter();
  clock.pass(10_000);
  ndi.removeSource('CAM (1)');
  clock.pass(2000);
  ndi.addSource('CAM (1)');
  clock.pass(4000);
  ndi.removeSource('CAM (1)');
  clock.pass(60_000);
  expect(await picture()).toBe('CAM (2)');
});

test('a source that is back within two seconds is not replaced', async () => {
  const { ndi, clock, picture } = await protectedRouter();
  clock.pass(10_000);
  ndi.removeSource('CAM (1)');
  clock.pass(1500);
  ndi.addSource('CAM (1)');
  clock.pass(60_000);
  expect(await picture()).toBe('CAM (1)');
});

test('nothing switches in the first ten seconds of a process, also of one that replaced another', async () => {
  const { ndi, clock, picture } = await protectedRouter();
  ndi.removeSource('CAM (1)');
  clock.pass(9999);
  expect(await picture()).toBeNull();
  clock.pass(1);
  expect(await picture()).toBe('CAM (2)');
  // A process that was replaced has found nothing yet: that is no loss of its sources.
  ndi.addSource('CAM (1)');
  clock.pass(5000);
  ndi.die();
  clock.pass(60_000);
  ndi.revive();
  clock.pass(60_000);
  expect(await picture()).toBe('CAM (1)');
});

test('an operator who routes the output to the absent source again is obeyed, until it comes and vanishes again', async () => {
  const { ndi, clock, router, picture } = await protectedRouter();
  clock.pass(10_000);
  ndi.removeSource('CAM (1)');
  clock.pass(2000);
  await router.route(caller, { routes: [{ out: 1, in: 1 }] });
  clock.pass(60_000);
  expect(await picture()).toBeNull();
  ndi.addSource('CAM (1)');
  clock.pass(1000);
  ndi.removeSource('CAM (1)');
  clock.pass(2000);
  expect(await picture()).toBe('CAM (2)');
});

test('a substitute is not stored: a hub that starts again begins with the input', async () => {
  const { ndi, clock, router, db } = await protectedRouter();
  clock.pass(10_000);
  ndi.removeSource('CAM (1)');
  clock.pass(2000);
  await router.route(caller, { routes: [{ out: 2, in: 2 }] });
  const next = createRouterDouble(['CAM (1)', 'CAM (2)']);
  const again = createNdiRouterService({
    ...{ db, audit: createAudit(() => 1), log: createLog('error'), now: () => 1, port: next.port, clock, times },
    ...{ defaultBaseName: 'HUB', discovery: () => ({ servers: '', extraIps: '', groups: { send: '', receive: '' } }) },
  });
  expect(again.core.showOutput(1)).toMatchObject({ in: 1, substitute: null });
  expect(next.pictureOf(1)).toBe('CAM (1)');
  await again.close();
});

const discovery = () => ({ servers: '', extraIps: '', groups: { send: '', receive: '' } });

test('a new source fills no input while the disk is full, and a later one does', async () => {
  const [audit, ndi] = [createAudit(() => 1), createRouterDouble(['CAM (1)'])];
  let isFull = false;
  const record: typeof audit.record = (...entry) => {
    if (isFull) throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' });
    audit.record(...entry);
  };
  const router = createNdiRouterService({
    ...{ db: memoryDatabase(), audit: { ...audit, record }, log: createLog('error'), now: () => 1, port: ndi.port },
    ...{ clock: manualClock(), times, defaultBaseName: 'HUB', discovery },
  });
  service = router;
  await router.set(caller, { 'auto-fill': true });
  isFull = true;
  ndi.addSource('CAM (2)');
  await Bun.sleep(0);
  expect(router.core.showInput(1).source).toBeNull();
  isFull = false;
  ndi.addSource('CAM (3)');
  await Bun.sleep(0);
  expect(router.core.showInput(1).source).toBe('CAM (3)');
});

test('a router that could not be loaded is loaded with the next call', async () => {
  let attempts = 0;
  const panels = { enabled: false, address: '', port: 9990, allow: [], model: 'Smart Videohub', version: '2.7' };
  const feature = createNdiRouterFeature({
    ...{ db: memoryDatabase(), audit: createAudit(() => 1), log: createLog('error'), now: () => 1 },
    ...{
      clock: manualClock(),
      times,
      discovery,
      isOn: true,
      discoveryServer: { show: () => ({ state: 'disabled' as const }) },
      hubName: () => '',
      panelSettings: () => panels,
    },
    async openPort() {
      attempts += 1;
      if (attempts === 1) throw new Error('no space left');
      return createRouterDouble([]).port;
    },
  });
  await expect(feature.load()).rejects.toThrow('no space left');
  expect((await feature.load()).core.inputIds().length).toBeGreaterThan(0);
  await feature.close();
});

test('the server for panels says why it cannot listen, and tries again', async () => {
  const clock = manualClock();
  const occupant = createServer();
  await new Promise<void>((resolve) => occupant.listen(0, '127.0.0.1', resolve));
  const { port } = occupant.address() as AddressInfo;
  const settings = {
    ...{ enabled: true, address: '127.0.0.1', port, allow: ['127.0.0.1'], model: 'Smart Videohub', version: '2.7' },
  };
  const { router } = await protectedRouter();
  const panels = createNdiPanels(router, {
    ...{ settings: () => settings, hubName: () => '', clock, log: createLog('error', () => {}) },
  });
  await panels.apply();
  expect(panels.show()).toEqual({ state: 'failed', fault: 'portTaken', clients: [] });
  await new Promise((resolve) => occupant.close(resolve));
  clock.pass(timing.panels.retryMs);
  await until(() => panels.show().state === 'listening');
  expect(panels.show()).toEqual({ state: 'listening', clients: [] });
  settings.address = '203.0.113.9';
  await panels.apply();
  expect(panels.show()).toMatchObject({ state: 'failed', fault: 'noAddress' });
  await panels.close();
});

test('a salvo of 64 outputs is one message to the process', async () => {
  const { ndi, router } = await protectedRouter();
  await router.set(caller, { outputs: 64 });
  const routes = Array.from({ length: 64 }, (_, at) => ({ out: at + 1, in: 2 }));
  const results = await router.route(caller, { routes });
  expect(results.every(({ result, applied }) => result === 'done' && applied)).toBe(true);
  expect(ndi.applied.at(-1)).toHaveLength(64);
});

test('thousands of names on the network displace no source of an input', async () => {
  const { ndi, router } = await protectedRouter();
  for (let number = 0; number < limits.ndiRouter.sources; number++) ndi.addSource(`AAA (${number})`);
  expect(router.core.showInput(1)).toMatchObject({ source: 'CAM (1)', online: true });
  expect(router.core.showInput(2)).toMatchObject({ source: 'CAM (2)', online: true });
});
