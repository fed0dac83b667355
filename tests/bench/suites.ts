/** The suites: each measures one thing on its own hubs. */
import { compare, type Plan } from './compare.ts';
import { measureFirstLoads } from './console/first-load.ts';
import { measureAgents } from './devices/measure-agents.ts';
import { measureDevices } from './devices/measure-devices.ts';
import { measurePictures } from './devices/measure-pictures.ts';
import { measureUpgrades } from './devices/measure-upgrades.ts';
import { measureEvents } from './events/measure-events.ts';
import { measureFirewall } from './firewall/measure-firewall.ts';
import { measureFrozen } from './frozen.ts';
import { type BenchHub, startHub } from './hub.ts';
import { measureIdle } from './idle.ts';
import { measureEagerDevices, measureFleet } from './link/measure-fleet.ts';
import { measureLink } from './link/measure-link.ts';
import { measureLogs } from './logs/measure-logs.ts';
import type { Timing as Window } from './measure.ts';
import { measureMixed } from './mixed.ts';
import { measureNdi } from './ndi/measure-ndi.ts';
import type { RowId } from './options.ts';
import { measurePreview } from './preview.ts';
import type { Findings, LinkResult, RowResult } from './report/result.ts';
import { rows } from './rows.ts';
import { nginxRtmp } from './subjects/nginx-rtmp.ts';
import { signalboxToPlayers } from './subjects/signalbox.ts';
import { measureCalm } from './times/calm.ts';
import { measureFailover } from './times/failover.ts';
import { measureJoins } from './times/join.ts';
import { measureJumps } from './times/jump.ts';
import type { Timing, TimingPlan } from './times/timing.ts';
import type { Toolbox } from './tools.ts';
import { measureUpload } from './upload/measure-upload.ts';

export interface Pace {
  readonly timing: Window;
  readonly warmUpMs: number;
  readonly frozenSeconds: number;
  readonly starts: number;
  readonly attempts: number;
}

export interface SuiteContext extends Omit<Plan, 'timing' | 'warmUpMs'> {
  readonly pace: Pace;
}

type Suite = (context: SuiteContext) => Promise<Findings>;

export const suites: Readonly<Record<RowId, Suite>> = {
  rtmp: compareRows('rtmp'),
  srt: compareRows('srt'),
  udp: compareRows('udp'),
  rtp: compareRows('rtp'),
  across: compareRows('across'),
  rtsp: compareRows('rtsp'),
  hls: compareRows('hls'),
  mixed: ({ toolbox, pace }) =>
    onHub(async (hub) => ({ mixed: await measureMixed(toolbox, hub, pace.timing.windowMs) })),
  preview: ({ toolbox, pace }) =>
    onHub(async (hub) => ({ preview: await measurePreview(toolbox, hub, pace.timing.windowMs) })),
  join: times(measureJoins),
  calm: times(measureCalm),
  failover: times(measureFailover),
  jump: times(measureJumps),
  frozen: ({ toolbox, pace }) =>
    onHub(async (hub) => {
      const ours = signalboxToPlayers(() => Promise.resolve(hub), 'rtmp');
      return { frozen: await measureFrozen(toolbox, [ours, nginxRtmp], pace.frozenSeconds, ours.id) };
    }),
  idle: async ({ pace }) => ({ idle: await measureIdle(pace.starts) }),
  events: async ({ pace }) => ({ events: await measureEvents(pace.timing.windowMs) }),
  upload: async () => ({ upload: await measureUpload() }),
  console: ({ pace }) => onHub(async (hub) => ({ console: await measureFirstLoads(hub, pace.attempts) })),
  link: ({ isQuick }) => measured('link', measureLink(linkPaces[isQuick ? 'quick' : 'full'])),
  fleet: ({ isQuick, toolbox }) => measured('fleet', measureWholeFleet(isQuick, toolbox)),
  firewall: async ({ isQuick }) => ({ firewall: await measureFirewall(isQuick) }),
  ndi: async ({ isQuick }) => ({ ndi: await measureNdi(isQuick) }),
  log: () => onHub(async (hub) => ({ logs: await measureLogs(hub) })),
};

const linkPaces = {
  quick: { rounds: 3, smallRounds: 1, seconds: 2, isQuick: true },
  full: { rounds: 7, smallRounds: 3, seconds: 4, isQuick: false },
} as const;

/** Devices that the hub polls, agents that dial it, and a hub that has links only. */
async function measureWholeFleet(isQuick: boolean, toolbox: Toolbox): Promise<LinkResult> {
  const polled = { restMs: 10_000, changes: 20 };
  const figures = [
    ...(await measureDevices({ ...polled, count: 1000, isJudged: true })),
    ...(isQuick ? [] : await measureDevices({ ...polled, count: 5000, isJudged: false })),
    ...(await measureAgents(1000)),
    ...(await measurePictures()),
    ...(await measureUpgrades(toolbox)),
    await measureEagerDevices(),
  ];
  const links = await measureFleet({
    ...{ devices: isQuick ? 2000 : 10_000, settleMs: isQuick ? 20_000 : 60_000, restMs: 15_000 },
  });
  return { ...links, figures: [...figures, ...links.figures] };
}

async function measured<Name extends 'link' | 'fleet'>(name: Name, work: Promise<LinkResult>): Promise<Findings> {
  return { [name]: await work };
}

function compareRows(group: RowId): Suite {
  return async ({ pace, ...rest }) => {
    const results: RowResult[] = [];
    for (const row of rows.filter((each) => each.group === group)) {
      results.push(await compare(row, { ...rest, timing: pace.timing, warmUpMs: pace.warmUpMs }));
    }
    return { rows: results };
  };
}

function times(measure: (toolbox: Toolbox, hub: BenchHub, plan: TimingPlan) => Promise<Timing[]>): Suite {
  return ({ toolbox, pace, onProblem }) =>
    onHub(async (hub) => ({ timings: await measure(toolbox, hub, { attempts: pace.attempts, onProblem }) }));
}

async function onHub(work: (hub: BenchHub) => Promise<Findings>): Promise<Findings> {
  const hub = await startHub();
  try {
    return await work(hub);
  } finally {
    await hub.stop();
  }
}
