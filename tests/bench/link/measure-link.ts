/** A device's port through its link, compared with nginx and with Bun's fetch, which reach it directly. */
import { cpuSeconds, machineBusySeconds, rssBytes, threadTimes, treeCpuSeconds } from '../proc.ts';
import type { LinkFigure, LinkPath, LinkResult } from '../report/result.ts';
import { median } from '../statistics.ts';
import { measureBreaks } from './breaks.ts';
import { measureFar } from './far.ts';
import { download, type SmallRequests, smallRequests, stall } from './load.ts';
import { measureCopies } from './measure-copies.ts';
import { type LinkRig, largeBytes, type Origin, printedBy, startLinkRig, startOrigin, startProgram } from './rig.ts';
import { measureSockets } from './sockets.ts';

const stalledReaders = 20;
const settleMs = 1500;

export interface LinkPace {
  readonly rounds: number;
  readonly smallRounds: number;
  readonly seconds: number;
  readonly isQuick: boolean;
}

/** A way to the origin, and the processes whose CPU it costs. */
interface Subject {
  readonly name: string;
  readonly port: number;
  readonly pids: () => readonly number[];
}

export async function measureLink(pace: LinkPace): Promise<LinkResult> {
  const origin = await startOrigin();
  const echo = startProgram<{ port: number }>('echo', []);
  const socketsTarget = await printedBy(echo, 'port');
  const copies = startProgram<{ port: number }>('copies', []);
  const copiesTarget = await printedBy(copies, 'port');
  const fetchProxy = startProgram<{ port: number }>('fetch-proxy', [origin.port]);
  const [ws, wss] = [
    await startLinkRig({ target: origin.port, socketsTarget, copiesTarget }),
    await startLinkRig({ target: origin.port, isTls: true }),
  ];
  const others = startOthers();
  try {
    const subjects: Subject[] = [
      { name: 'direct', port: origin.port, pids: () => [] },
      { name: 'nginx', port: origin.proxyPort, pids: origin.proxyPids },
      { name: 'fetch', port: await printedBy(fetchProxy, 'port'), pids: () => [fetchProxy.pid] },
      { name: 'forward, ws', port: ws.forward, pids: () => [ws.hub.pid] },
      { name: 'forward, direct', port: ws.direct, pids: () => [ws.hub.pid] },
      { name: 'forward, wss', port: wss.forward, pids: () => [wss.hub.pid] },
      { name: 'HTTP, ws', port: ws.proxy, pids: () => [ws.hub.pid] },
    ];
    const paths = await measurePaths(subjects, pace);
    const figures = [
      ...compare(paths),
      ...(await measureStalled(ws)),
      ...(await measureCopies(
        copiesTarget,
        [
          { name: 'direct', port: ws.directCopies },
          { name: 'over ws', port: ws.copies },
        ],
        pace,
      )),
      ...(await measureControls(origin)),
      ...(await measureFar(origin.port, pace)),
      ...(await measureBreaks(origin, pace)),
      ...(await measureSockets(socketsTarget, ws.sockets)),
    ];
    return { paths, figures, othersCpu: others.cores() };
  } finally {
    await Promise.all([ws.stop(), wss.stop(), echo.child.kill(), copies.child.kill(), fetchProxy.child.kill()]);
    await Promise.all([origin.origin.close(), origin.proxy.close()]);
  }
}

/** Measures the CPU that programs outside the bench use. */
export function startOthers(): { cores(): number } {
  const [began, busy, own] = [performance.now(), machineBusySeconds(), treeCpuSeconds(process.pid)];
  return {
    cores() {
      const used = machineBusySeconds() - busy - (treeCpuSeconds(process.pid) - own);
      return Math.max(0, used / ((performance.now() - began) / 1000));
    },
  };
}

/** All subjects in turn, several times: other load on the machine affects all of them. */
async function measurePaths(subjects: readonly Subject[], pace: LinkPace): Promise<LinkPath[]> {
  const kept = new Map(
    subjects.map((subject) => [subject, { speeds: [], cpu: [], single: [], many: [], cpuPerRequest: [] } as Kept]),
  );
  for (let round = 0; round < pace.rounds; round++) {
    for (const [{ port, pids }, { speeds, cpu }] of kept) {
      const before = threadTimes(pids());
      speeds.push(await download(port));
      cpu.push(cpuSeconds(before, threadTimes(pids())) / (largeBytes / 1e9));
    }
  }
  for (let round = 0; round < pace.smallRounds; round++) {
    for (const [{ port }, { single }] of kept) single.push(await smallRequests(port, 1, pace.seconds));
    for (const [{ port, pids }, { many, cpuPerRequest }] of kept) {
      const before = threadTimes(pids());
      const found = await smallRequests(port, 100, pace.seconds);
      many.push(found);
      cpuPerRequest.push((cpuSeconds(before, threadTimes(pids())) * 1e6) / (found.perSecond * pace.seconds));
    }
  }
  return [...kept].map(([{ name }, { speeds, cpu, single, many, cpuPerRequest }]) => ({
    name,
    bytesPerSecond: median(speeds),
    cpuSecondsPerGb: median(cpu),
    singleP50Ms: median(single.map(({ p50Ms }) => p50Ms)),
    manyPerSecond: median(many.map(({ perSecond }) => perSecond)),
    manyP99Ms: median(many.map(({ p99Ms }) => p99Ms)),
    cpuMicrosecondsPerRequest: median(cpuPerRequest),
  }));
}

interface Kept {
  readonly speeds: number[];
  readonly cpu: number[];
  readonly single: SmallRequests[];
  readonly many: SmallRequests[];
  readonly cpuPerRequest: number[];
}

function compare(paths: readonly LinkPath[]): LinkFigure[] {
  const of = (name: string): LinkPath => {
    const found = paths.find((path) => path.name === name);
    if (found === undefined) throw new Error(`no path ${name}`);
    return found;
  };
  const [direct, nginx, plain] = [of('direct'), of('nginx'), of('fetch')];
  const [ws, wss, http] = [of('forward, ws'), of('forward, wss'), of('HTTP, ws')];
  const straight = of('forward, direct');
  const added = (path: LinkPath) => path.singleP50Ms - direct.singleP50Ms;
  return [
    ratio('200 MB over ws, against nginx', ws.bytesPerSecond / nginx.bytesPerSecond, { atLeast: 0.5 }),
    ratio('200 MB over wss, against nginx', wss.bytesPerSecond / nginx.bytesPerSecond, { atLeast: 0.45 }),
    ratio('CPU of the hub per GB over ws, against fetch', ws.cpuSecondsPerGb / plain.cpuSecondsPerGb, { atMost: 2 }),
    ratio('CPU of the hub per GB over wss, against fetch', wss.cpuSecondsPerGb / plain.cpuSecondsPerGb, {
      atMost: 2.3,
    }),
    ratio('100 connections, forward: requests, against nginx', ws.manyPerSecond / nginx.manyPerSecond, {
      atLeast: 0.65,
    }),
    ratio('100 connections, direct forward: requests, against nginx', straight.manyPerSecond / nginx.manyPerSecond, {
      atLeast: 0.65,
    }),
    ratio('100 connections, HTTP: requests, against fetch', http.manyPerSecond / plain.manyPerSecond, { atLeast: 0.5 }),
    ratio(
      '100 connections, HTTP: CPU of the hub per request, against fetch',
      http.cpuMicrosecondsPerRequest / plain.cpuMicrosecondsPerRequest,
      { atMost: 2 },
    ),
    ratio('100 connections, HTTP: p99, against fetch', http.manyP99Ms / plain.manyP99Ms, { atMost: 2.5 }),
    { what: '1 connection, forward: added p50', found: added(ws), unit: 'ms', atMost: 0.3 },
    { what: '1 connection, HTTP: added p50', found: added(http), unit: 'ms', atMost: 0.3 },
    ratio('1 connection, HTTP: p50, against fetch', http.singleP50Ms / plain.singleP50Ms, { atMost: 3 }),
  ];
}

export const ratio = (
  what: string,
  found: number,
  limit: { readonly atLeast?: number; readonly atMost?: number },
): LinkFigure => ({ what, found, unit: '×', ...limit });

/** Readers that stop: what they cost the hub, and other clients. */
async function measureStalled(rig: LinkRig): Promise<LinkFigure[]> {
  const figures: LinkFigure[] = [];
  for (const { name, port, mostMb } of [
    { name: 'forward', port: rig.forward, mostMb: 0.5 },
    { name: 'direct forward', port: rig.direct, mostMb: 0.5 },
    { name: 'HTTP', port: rig.proxy, mostMb: 2 },
  ]) {
    const free = await smallRequests(port, 10, 2);
    const before = rssBytes([rig.hub.pid]);
    const release = await stall(port, stalledReaders);
    await Bun.sleep(settleMs);
    const growth = (rssBytes([rig.hub.pid]) - before) / 2 ** 20;
    const beside = await smallRequests(port, 10, 2);
    release();
    figures.push(
      { what: `${name}: hub memory per stalled reader`, found: growth / stalledReaders, unit: 'MB', atMost: mostMb },
      ratio(`${name}: requests beside ${stalledReaders} stalled readers`, beside.perSecond / free.perSecond, {
        atLeast: 0.85,
      }),
    );
  }
  return figures;
}

/** What the link would cost without credit for each stream. Both must be bad, or the rows above prove nothing. */
async function measureControls(origin: Origin): Promise<LinkFigure[]> {
  const unlimited = await startLinkRig({ target: origin.port, control: 'unlimited' });
  const paused = await startLinkRig({ target: origin.port, control: 'paused' });
  try {
    const before = rssBytes([unlimited.hub.pid]);
    await stall(unlimited.forward, stalledReaders);
    await Bun.sleep(settleMs);
    const growth = (rssBytes([unlimited.hub.pid]) - before) / 2 ** 20;
    const free = await smallRequests(paused.forward, 10, 2);
    await stall(paused.forward, 1);
    await Bun.sleep(settleMs);
    const beside = await smallRequests(paused.forward, 10, 2).catch(() => ({ perSecond: 0 }));
    return [
      { what: `control without credit: growth for ${stalledReaders} readers`, found: growth, unit: 'MB', atLeast: 100 },
      ratio('control that pauses the link: requests beside 1 reader', beside.perSecond / free.perSecond, {
        atMost: 0.05,
      }),
    ];
  } finally {
    await Promise.all([unlimited.stop(), paused.stop()]);
  }
}
