/** A hub that polls many simulated devices: at rest, its lists, a change on its way to the browser, and a restart. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deviceStatusBits } from '../../../daemon/contract/device-states.ts';
import { limits } from '../../../daemon/contract/limits.ts';
import { type HubProcess, startHub } from '../../integration/hub-process.ts';
import { until } from '../../support/until.ts';
import { ratio } from '../link/measure-link.ts';
import { type Program, printedBy, startProgram } from '../link/rig.ts';
import { cpuSeconds, pssBytes, threadTimes } from '../proc.ts';
import type { LinkFigure } from '../report/result.ts';
import { percentile } from '../statistics.ts';
import { makeTempFolder } from '../temp-folder.ts';
import { readDevices, type SeenDevice } from './event-reader.ts';

interface Simulators {
  readonly list: readonly {
    readonly sn: string;
    readonly address: string;
    readonly user: string;
    readonly password: string;
  }[];
  readonly requests: number;
}

export interface DevicesPace {
  readonly count: number;
  readonly restMs: number;
  readonly changes: number;
  /** Limits for the fleet that the hub is made for; larger ones only have to work. */
  readonly isJudged: boolean;
}

const patienceMs = 150_000;
const settleMs = 12_000;
const listCalls = 200;
const watched = 20;
const changeMs = 15_000;
/** Randomizes the moment of a change within the interval of the polls. */
const pauseMs = 500;
const peakWindowMs = 1000;
const mebibyte = 2 ** 20;

export async function measureDevices(pace: DevicesPace): Promise<LinkFigure[]> {
  const { count, isJudged } = pace;
  const simulators = startProgram<Simulators>('../devices/simulators', [count]);
  const hub = await startHub({ env: { SIGNALBOX_LOG: 'warn', SIGNALBOX_FEATURES: 'devices' } });
  try {
    await hub.login();
    const list = await printedBy(simulators, 'list');
    const addedSeconds = (await addAll(hub, list)) / 1000;
    await untilOnline(hub, count);
    await Bun.sleep(settleMs);
    const fleet = `${count} devices`;
    const figures: LinkFigure[] = [
      { what: `${fleet} are added after`, found: addedSeconds, unit: 's', atMost: count / 10 },
      ...(await measureRest(hub, simulators, pace)),
      ...(await measureLists(hub, fleet)),
      ...(await measureChanges(hub, simulators, pace)),
      ...(await measureRestart(hub, pace)),
    ];
    return isJudged ? figures : figures.filter(({ what }) => !what.includes('CPU of the hub'));
  } finally {
    await Promise.all([hub.stop(), simulators.child.kill()]);
  }
}

/** Returns the milliseconds that it took. */
async function addAll(hub: HubProcess, all: Simulators['list']): Promise<number> {
  const began = performance.now();
  // As many as the hub asks at the same time.
  const perCall = limits.addedDevices.atOnce;
  for (let at = 0; at < all.length; at += perCall) {
    const list = all.slice(at, at + perCall).map(({ sn: _, ...device }) => device);
    const added = await hub.api<{ list: { result: number; message?: string }[] }>('/api/device/add', { list });
    const failed = added.list.find(({ result }) => result !== 0);
    if (failed !== undefined) throw new Error(`a device was not added: ${failed.message}`);
  }
  return performance.now() - began;
}

async function untilOnline(hub: HubProcess, count: number): Promise<number> {
  const isOnline = async () => {
    const { total } = await hub.api<{ total: number }>('/api/device/list?status=online&count=1');
    return total === count;
  };
  return await until(isOnline, patienceMs, 'all devices are online');
}

async function measureRest(
  hub: HubProcess,
  simulators: Program<Simulators>,
  { count, restMs }: DevicesPace,
): Promise<LinkFigure[]> {
  const cpuOf = async (pid: number) => {
    const [began, threads] = [performance.now(), threadTimes([pid])];
    await Bun.sleep(restMs);
    return cpuSeconds(threads, threadTimes([pid])) / ((performance.now() - began) / 1000);
  };
  const before = simulators.printed.requests ?? 0;
  const cpu = await cpuOf(hub.pid);
  const perSecond = ((simulators.printed.requests ?? 0) - before) / (restMs / 1000);
  const file = join(makeTempFolder('devices'), 'addresses.json');
  writeFileSync(file, JSON.stringify((await printedBy(simulators, 'list')).map(({ address }) => address)));
  const loop = startProgram('../devices/poll-loop', [file, perSecond]);
  await Bun.sleep(settleMs / 4);
  const loopCpu = await cpuOf(loop.pid);
  await loop.child.kill();
  return [
    { what: `${count} devices: CPU of the hub`, found: cpu * 100, unit: '%', atMost: 30 },
    ratio(`${count} devices: CPU of the hub, against a loop of fetch`, cpu / loopCpu, { atMost: 8 }),
    { what: `${count} devices: memory of the hub`, found: pssBytes([hub.pid]) / mebibyte, unit: 'MB', atMost: 250 },
  ];
}

async function measureLists(hub: HubProcess, fleet: string): Promise<LinkFigure[]> {
  const first = '/api/device/list?start=0&count=50&sort=name';
  const questions = {
    'a list of 50': first,
    'a search': '/api/device/list?start=0&count=50&sort=name&key=hall',
    'a filter, by state': '/api/device/list?start=0&count=50&sort=online-state&status=warns,dev-warns,online',
  };
  const file = join(makeTempFolder('devices'), 'list.json');
  writeFileSync(file, JSON.stringify(await hub.api(first)));
  const bare = startProgram<{ port: number }>('../devices/list-server', [file]);
  try {
    const figures: LinkFigure[] = [];
    const plain = await timesOf(`http://127.0.0.1:${await printedBy(bare, 'port')}/`, {});
    for (const [name, path] of Object.entries(questions)) {
      const times = await timesOf(hub.url + path, hub.headers());
      figures.push(
        { what: `${fleet}: ${name}, p50`, found: percentile(times, 0.5), unit: 'ms', atMost: 50 },
        { what: `${fleet}: ${name}, p99`, found: percentile(times, 0.99), unit: 'ms', atMost: 50 },
      );
      if (path === first) {
        const against = percentile(times, 0.5) / percentile(plain, 0.5);
        figures.push(ratio(`${fleet}: ${name}, p50 against a server that only serializes it`, against, { atMost: 10 }));
      }
    }
    return figures;
  } finally {
    await bare.child.kill();
  }
}

/** Milliseconds of each of many requests, one after another. */
async function timesOf(url: string, headers: Record<string, string>): Promise<number[]> {
  const times: number[] = [];
  for (let at = 0; at < listCalls; at++) {
    const began = performance.now();
    const response = await fetch(url, { headers });
    const { result = 0 } = (await response.json()) as { result?: number };
    times.push(performance.now() - began);
    if (response.status !== 200 || result !== 0) throw new Error(`${url}: status ${response.status}, result ${result}`);
  }
  return times;
}

/** From the change of a device to its arrival on the event stream of a page that shows the device. */
async function measureChanges(
  hub: HubProcess,
  simulators: Program<Simulators>,
  { count, changes }: DevicesPace,
): Promise<LinkFigure[]> {
  // Every sixth is an encoder.
  const encoders = (await printedBy(simulators, 'list')).filter((_, at) => at % 6 === 0).slice(0, watched);
  const sns = encoders.map(({ sn }) => sn);
  const reader = await readDevices(hub.url, hub.headers().cookie ?? '', sns);
  const times: number[] = [];
  try {
    for (let at = 0; at < changes; at++) {
      const sn = sns[at % sns.length] ?? '';
      const hasSignal = Math.floor(at / sns.length) % 2 === 1;
      let isSeen = false;
      reader.onDevice = (device: SeenDevice) => {
        const isOff = ((device.status['cur-status'] ?? 0) & deviceStatusBits.noSignal) !== 0;
        isSeen ||= device.sn === sn && isOff !== hasSignal;
      };
      await Bun.sleep(Math.random() * pauseMs);
      simulators.say(`${sn} ${hasSignal ? 'on' : 'off'}`);
      times.push(await until(() => isSeen, changeMs, `the change of ${sn} arrives`));
    }
  } finally {
    await reader.close();
  }
  const seconds = (share: number) => percentile(times, share) / 1000;
  return [
    { what: `${count} devices: a change arrives at the browser, p50`, found: seconds(0.5), unit: 's', atMost: 2 },
    { what: `${count} devices: a change arrives at the browser, p99`, found: seconds(0.99), unit: 's', atMost: 2 },
  ];
}

async function measureRestart(hub: HubProcess, { count }: DevicesPace): Promise<LinkFigure[]> {
  await hub.kill('SIGKILL');
  await hub.restart();
  let peak = 0;
  let last = { at: performance.now(), threads: threadTimes([hub.pid]) };
  const watch = setInterval(() => {
    const next = { at: performance.now(), threads: threadTimes([hub.pid]) };
    peak = Math.max(peak, cpuSeconds(last.threads, next.threads) / ((next.at - last.at) / 1000));
    last = next;
  }, peakWindowMs);
  await hub.login();
  const ms = await untilOnline(hub, count).finally(() => clearInterval(watch));
  return [
    {
      what: `${count} devices are online after a restart`,
      found: ms / 1000,
      unit: 's',
      atMost: Math.max(15, count / 50),
    },
    { what: `the highest CPU meanwhile, over a second`, found: peak * 100, unit: '%', atMost: 100 },
  ];
}
