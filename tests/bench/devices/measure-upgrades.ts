/** Firmware for many devices beside a stream: how the bandwidth is used, what it costs, and what the player notices. */
import { limits } from '../../../daemon/contract/limits.ts';
import { firmwareImage } from '../../sim/devices/firmware.ts';
import { until } from '../../support/until.ts';
import { type BenchHub, startHub } from '../hub.ts';
import { printedBy, startProgram } from '../link/rig.ts';
import { cpuSeconds, pssBytes, threadTimes } from '../proc.ts';
import type { LinkFigure } from '../report/result.ts';
import { signalboxToPlayers } from '../subjects/signalbox.ts';
import { startSender, startSink, type Toolbox } from '../tools.ts';

interface Devices {
  readonly list: readonly { readonly address: string; readonly user: string; readonly password: string }[];
  readonly received: number;
  /** Milliseconds, when `received` was read. */
  readonly at: number;
}

const devices = 50;
const imageBytes = 5 << 20;
/** Of writing, and of restarting. */
const deviceMs = 2000;
const patienceMs = 120_000;
const windowMs = 5000;
const limitSeconds = 240;
const mebibyte = 2 ** 20;
const target = { productId: 0x313, hardware: 'B', version: '9.8.7' };

export async function measureUpgrades(toolbox: Toolbox): Promise<LinkFigure[]> {
  const program = startProgram<Devices>('../devices/upgrade-devices', [devices, deviceMs]);
  const hub = await startHub({ env: { SIGNALBOX_FEATURES: 'devices' } });
  const relay = await signalboxToPlayers(() => Promise.resolve(hub), 'rtmp').open(1);
  const sender = startSender(toolbox, relay.ingest, limitSeconds);
  try {
    const sns = await addDevices(hub, await printedBy(program, 'list'));
    const firmware = await addFirmware(hub);
    await sender.sending;
    const player = startSink(toolbox, { ...relay.egress, isPrompt: true }, 1, limitSeconds);
    await player.ready;
    player.beginWindow();
    await Bun.sleep(windowMs);
    const { longestGapMs: usualGapMs } = await player.report();

    player.beginWindow();
    const [pids, began] = [hub.processes().hub, performance.now()];
    const [threads, memory] = [threadTimes(pids), pssBytes(pids)];
    const plan = { 'max-parallel': limits.upgrade.parallel.max };
    const { task } = await hub.call('/api/device/upgrade', { sn: sns, 'firmware-id': firmware, plan });
    const all = devices * imageBytes;
    const lines = () => program.lines.filter(({ at, received = 0 }) => at !== undefined && received > 0);
    await until(() => (lines().at(-1)?.received ?? 0) >= all, patienceMs, 'all devices have the file');
    const cpu = cpuSeconds(threads, threadTimes(pids)) / ((performance.now() - began) / 1000);
    const growth = Math.max(0, pssBytes(pids) - memory);
    const ended = await until(() => isOver(hub, Number(task)), patienceMs, 'all devices run the firmware');
    const seconds = (performance.now() - began) / 1000;
    const { longestGapMs, lost, closed, stalled } = await player.report();
    await player.stop();

    const what = `firmware of ${imageBytes / mebibyte} MB for ${devices} devices`;
    const share = rateOf(lines(), all) / ((limits.upgrade.rate.default * 1e6) / 8);
    const leastSeconds = all / ((limits.upgrade.rate.default * 1e6) / 8);
    return [
      { what: `${what}: bandwidth, of the setting`, found: share, unit: '×', atLeast: 0.85 },
      { what: `${what}: the same, at most`, found: share, unit: '×', atMost: 1.05 },
      { what: `${what}: all run it after`, found: seconds, unit: 's', atMost: leastSeconds * 1.2 + 15 },
      { what: `${what}: the last ones after the last upload`, found: ended / 1000, unit: 's', atMost: 15 },
      { what: `${what}: CPU of the hub meanwhile`, found: cpu * 100, unit: '%', atMost: 40 },
      { what: `${what}: memory that the hub needs for it`, found: growth / mebibyte, unit: 'MB', atMost: 100 },
      {
        what: `${what}: longest gap of a player, beyond the usual`,
        found: longestGapMs - usualGapMs,
        unit: 'ms',
        atMost: 40,
      },
      { what: `${what}: frames that the player lost`, found: lost + closed + stalled, unit: '', atMost: 0 },
    ];
  } finally {
    await sender.stop();
    await relay.close();
    await Promise.all([hub.stop(), program.child.kill()]);
  }
}

async function addDevices(hub: BenchHub, list: Devices['list']): Promise<string[]> {
  const perCall = limits.addedDevices.atOnce;
  for (let at = 0; at < list.length; at += perCall) {
    await hub.call('/api/device/add', { list: list.slice(at, at + perCall) });
  }
  const online = () =>
    hub.call('/api/device/list?status=online&count=100') as unknown as Promise<{ list: { sn: string }[] }>;
  await until(async () => (await online()).list.length === list.length, patienceMs, 'all devices are online');
  return (await online()).list.map(({ sn }) => sn);
}

/** Returns the id of the file in the library. */
async function addFirmware(hub: BenchHub): Promise<number> {
  const image = new Uint8Array(firmwareImage({ ...target, bytes: imageBytes }));
  const name = `firmware-${target.productId}-0-${target.hardware}-${target.version}.mwf`;
  const { task } = await hub.call('/api/firmware/begin-upload', { name, size: image.length });
  const headers = { cookie: hub.cookie };
  await fetch(`${hub.url}/api/upload/data?task=${task}`, { method: 'PUT', body: image, headers });
  await until(() => isOver(hub, Number(task)), patienceMs, 'the file is in the library');
  const { list } = (await hub.call('/api/firmware/list')) as unknown as { list: { id: number }[] };
  return list[0]?.id ?? 0;
}

/** Throws if a part of the task has failed. */
async function isOver(hub: BenchHub, id: number): Promise<boolean> {
  const { ended, failed, state } = await hub.call(`/api/task/query?id=${id}`);
  if (Number(ended) > 0 && (state !== 'done' || failed !== 0))
    throw new Error(`task ${id}: ${state}, ${failed} failed`);
  return Number(ended) > 0;
}

/** Bytes per second, without the beginning and the end, when the devices do not use all of it. */
function rateOf(lines: readonly Partial<Devices>[], all: number): number {
  const middle = lines.filter(({ received = 0 }) => received > all * 0.1 && received < all * 0.8);
  const [first, last] = [middle[0], middle.at(-1)];
  const bytes = (last?.received ?? 0) - (first?.received ?? 0);
  return bytes / (((last?.at ?? 0) - (first?.at ?? 0)) / 1000);
}
