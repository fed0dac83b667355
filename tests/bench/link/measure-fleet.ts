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
const pairsOfRuns = 5;
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

export async function measureFleet({ devices, settleMs, restMs }: FleetPace): Promise<LinkResult> {
  const files = Number(await new Response(Bun.spawn(['sh', '-c', 'ulimit -n']).stdout).text());
  if (files < devices + spareFiles) throw new Error(`${devices} links need as many open files; ulimit -n is ${files}`);
  const [cert, key] = await certificateFiles();
  const folder = makeTempFolder('link-fleet');
  const startHub = (port: number, identity = 'hub.key') =>
    startProgram<HubPrints>('fleet-hub', [port, cert, key, join(folder, identity), devices]);
  let hub = startHub(0);
  // The devices run on this machine, too. A second hub without links shows what this alone costs in the same minute.
  const empty = startHub(0, 'empty.key');
  const port = await printedBy(hub, 'link');
  const fleet: Program<DevicesPrint>[] = [];
  const sum = (field: keyof DevicesPrint) => fleet.reduce((total, { printed }) => total + (printed[field] ?? 0), 0);
  const others = startOthers();
  try {
    await printedBy(hub, 'http');
    const emptyBytes = rssBytes([hub.pid]);
    const each = devices / processes;
    for (let at = 0; at < processes; at++) {
      const url = `wss://127.0.0.1:${port}/link`;
      fleet.push(startProgram('fleet-devices', [url, at * each, each, devicesPerSecond / processes]));
    }
    await until(() => sum('accepted') === devices, patienceMs, 'all devices are accepted');
    await Bun.sleep(settleMs);
    const [cpu, began] = [threadTimes([hub.pid]), performance.now()];
    await Bun.sleep(restMs);
    const used = cpuSeconds(cpu, threadTimes([hub.pid])) / ((performance.now() - began) / 1000);
    const perLink = (rssBytes([hub.pid]) - emptyBytes) / 1024 / devices;
    const slower = await timesSlower(await printedBy(hub, 'http'), await printedBy(empty, 'http'));
    await empty.child.kill();

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
        what: `${devices} idle wss links: p99 of HTTP, against a hub without links`,
        ...{ found: slower, unit: '×', atMost: 2 },
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
    await Promise.all([hub, empty, ...fleet].map(({ child }) => child.kill()));
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

/** p99 of one server against that of the other one: medians of runs in turn, as another program may have the core. */
async function timesSlower(...ports: readonly [number, number]): Promise<number> {
  const runs: readonly [number[], number[]] = [[], []];
  for (let run = 0; run < 2 * pairsOfRuns; run++) {
    const side = run % 2 === 0 ? 0 : 1;
    runs[side].push((await smallRequests(ports[side], 10, 2)).p99Ms);
  }
  return median(runs[0]) / median(runs[1]);
}

export interface FleetPace {
  readonly devices: number;
  /**
   * From the last link until the measurement. Longer than the interval of pings, as a new link pings several times at
   * once to learn its round trip; in a full run also until the code of the pings is compiled.
   */
  readonly settleMs: number;
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
