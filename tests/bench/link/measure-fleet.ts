/** Ten thousand devices with a link to one hub process: at rest, and after the hub was away for five seconds. */
import { join } from 'node:path';
import { until } from '../../support/until.ts';
import { cpuSeconds, rssBytes, threadTimes } from '../proc.ts';
import type { LinkFigure, LinkResult } from '../report/result.ts';
import { median } from '../statistics.ts';
import { makeTempFolder } from '../temp-folder.ts';
import { smallRequests } from './load.ts';
import { startOthers } from './measure-link.ts';
import { certificateFiles, type Program, printedBy, startProgram } from './rig.ts';

const processes = 2;
const devicesPerSecond = 300;
const awayMs = 5000;
const patienceMs = 150_000;
const askEveryMs = 20;
const eagerDevices = 200;
const eagerRetryMs = 100;
/** Besides the sockets of its links, each process has some more files open. */
const spareFiles = 1000;

interface HubPrints {
  readonly link: number;
  readonly http: number;
}
interface DevicesPrint {
  readonly attempts: number;
  readonly accepted: number;
}

export async function measureFleet({ devices, restMs }: FleetPace): Promise<LinkResult> {
  const files = Number(await new Response(Bun.spawn(['sh', '-c', 'ulimit -n']).stdout).text());
  if (files < devices + spareFiles) throw new Error(`${devices} links need as many open files; ulimit -n is ${files}`);
  const [cert, key] = await certificateFiles();
  const identity = join(makeTempFolder('link-fleet'), 'hub.key');
  const startHub = (port: number) => startProgram<HubPrints>('fleet-hub', [port, cert, key, identity, devices]);
  let hub = startHub(0);
  const port = await printedBy(hub, 'link');
  const fleet: Program<DevicesPrint>[] = [];
  const sum = (field: keyof DevicesPrint) => fleet.reduce((total, { printed }) => total + (printed[field] ?? 0), 0);
  const others = startOthers();
  try {
    const unloadedMs = await p99Ms(await printedBy(hub, 'http'));
    const emptyBytes = rssBytes([hub.pid]);
    const each = devices / processes;
    for (let at = 0; at < processes; at++) {
      const url = `wss://127.0.0.1:${port}/link`;
      fleet.push(startProgram('fleet-devices', [url, at * each, each, devicesPerSecond / processes]));
    }
    await until(() => sum('accepted') === devices, patienceMs, 'all devices are accepted');
    await Bun.sleep(restMs / 2);
    const [cpu, began] = [threadTimes([hub.pid]), performance.now()];
    await Bun.sleep(restMs);
    const used = cpuSeconds(cpu, threadTimes([hub.pid])) / ((performance.now() - began) / 1000);
    const perLink = (rssBytes([hub.pid]) - emptyBytes) / 1024 / devices;
    const loadedMs = await p99Ms(await printedBy(hub, 'http'));

    const before = sum('attempts');
    await hub.child.kill();
    await Bun.sleep(awayMs);
    hub = startHub(port);
    const asking = startAsking(await printedBy(hub, 'http'));
    const back = performance.now();
    await until(() => sum('accepted') === devices, patienceMs, 'all devices are back');
    const backSeconds = (performance.now() - back) / 1000;
    const longestMs = await asking.stop();
    const figures: LinkFigure[] = [
      { what: `${devices} idle wss links: memory each`, found: perLink, unit: 'KiB', atMost: 24 },
      { what: `${devices} idle wss links: CPU`, found: used * 100, unit: '%', atMost: 5 },
      {
        what: `${devices} idle wss links: p99 of HTTP, against none`,
        ...{ found: loadedMs / unloadedMs, unit: '×', atMost: 2 },
      },
      {
        what: `${awayMs / 1000} s without the hub: attempts per device until all are back`,
        ...{ found: (sum('attempts') - before) / devices, unit: '', atMost: 4 },
      },
      { what: 'all devices are back after', found: backSeconds, unit: 's', atMost: 90 },
      { what: 'the longest HTTP answer meanwhile', found: longestMs, unit: 'ms', atMost: 100 },
    ];
    return { paths: [], figures, othersCpu: others.cores() };
  } finally {
    await Promise.all([hub, ...fleet].map(({ child }) => child.kill()));
  }
}

/** Devices that dial again at once. This must be bad, or the row of the attempts proves nothing. */
export async function measureEagerDevices(): Promise<LinkFigure> {
  const [cert, key] = await certificateFiles();
  const identity = join(makeTempFolder('link-eager'), 'hub.key');
  // For a fleet of none, a hub asks for no pause.
  const startHub = (port: number) => startProgram<HubPrints>('fleet-hub', [port, cert, key, identity, 0]);
  let hub = startHub(0);
  const port = await printedBy(hub, 'link');
  const url = `wss://127.0.0.1:${port}/link`;
  const fleet = startProgram<DevicesPrint>('fleet-devices', [url, 0, eagerDevices, eagerDevices, '{}', eagerRetryMs]);
  try {
    const areUp = () => fleet.printed.accepted === eagerDevices;
    await until(areUp, patienceMs, 'all devices are accepted');
    const before = fleet.printed.attempts ?? 0;
    await hub.child.kill();
    await Bun.sleep(awayMs);
    hub = startHub(port);
    await until(areUp, patienceMs, 'all devices are back');
    const found = ((fleet.printed.attempts ?? 0) - before) / eagerDevices;
    return { what: 'control that dials again at once: attempts per device', found, unit: '', atLeast: 10 };
  } finally {
    await Promise.all([hub.child.kill(), fleet.child.kill()]);
  }
}

/** Median of some runs: the p99 of one run depends on whether another program had the core. */
async function p99Ms(port: number): Promise<number> {
  const runs: number[] = [];
  for (let run = 0; run < 5; run++) runs.push((await smallRequests(port, 10, 2)).p99Ms);
  return median(runs);
}

export interface FleetPace {
  readonly devices: number;
  readonly restMs: number;
}

function startAsking(port: number): { stop(): Promise<number> } {
  let isOver = false;
  let longest = 0;
  const asking = (async () => {
    while (!isOver) {
      const at = performance.now();
      await (await fetch(`http://127.0.0.1:${port}/`)).arrayBuffer();
      longest = Math.max(longest, performance.now() - at);
      await Bun.sleep(askEveryMs);
    }
  })();
  return {
    async stop() {
      isOver = true;
      await asking;
      return longest;
    },
  };
}
