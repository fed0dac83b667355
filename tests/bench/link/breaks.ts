/** Links that break: no byte is lost or changed, and everyone learns of it soon. */
import { openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../support/until.ts';
import type { LinkFigure } from '../report/result.ts';
import type { LinkPace } from './measure-link.ts';
import { type LinkRig, largeBytes, type Origin, startLinkRig } from './rig.ts';

const ranges = 240;
const atOnce = 30;
const rangeBytes = 1 << 20;
const cuts = 5;
const slowBytes = 60_000_000;
const resumeMs = 60_000;

export async function measureBreaks(origin: Origin, { isQuick }: LinkPace): Promise<LinkFigure[]> {
  const file = openSync(join(origin.root, 'large.bin'), 'r');
  const hashOf = (from: number, bytes: number) => {
    const part = Buffer.allocUnsafe(bytes);
    readSync(file, part, 0, bytes, from);
    return Bun.hash(part);
  };
  const rig = await startLinkRig({ target: origin.port, line: { rttMs: 2, bytesPerMs: 0 } });
  try {
    const wrong = await parallelRanges(rig, hashOf);
    const isSame = await downloadSlowly(rig, hashOf);
    const isWhole = await downloadWithCuts(rig, hashOf);
    const figures: LinkFigure[] = [
      { what: `${ranges} ranges, ${atOnce} at once: wrong ones`, found: wrong, unit: '', atMost: 0 },
      { what: `${slowBytes / 1e6} MB at 20 MB/s: wrong bytes`, found: isSame ? 0 : 1, unit: '', atMost: 0 },
      { what: `200 MB with ${cuts} cuts, resumed: wrong bytes`, found: isWhole ? 0 : 1, unit: '', atMost: 0 },
    ];
    if (!isQuick) figures.push(await silenceUntilFound(rig, 'black hole: found after', 45_000, false));
    figures.push(await silenceUntilFound(rig, 'black hole, a user waits: found after', 6000, true));
    figures.push(await deathInDownload(rig));
    return figures;
  } finally {
    await rig.stop();
  }
}

async function parallelRanges(rig: LinkRig, hashOf: (from: number, bytes: number) => unknown): Promise<number> {
  let next = 0;
  let wrong = 0;
  const worker = async () => {
    for (let at = next++; at < ranges; at = next++) {
      const from = (at * 7_919_001) % (largeBytes - rangeBytes);
      const port = at % 2 === 0 ? rig.forward : rig.proxy;
      const headers = { range: `bytes=${from}-${from + rangeBytes - 1}` };
      const response = await fetch(`http://127.0.0.1:${port}/large.bin`, { headers });
      if (Bun.hash(await response.arrayBuffer()) !== hashOf(from, rangeBytes)) wrong += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return wrong;
}

/** A client that reads more slowly than the link delivers. Returns whether all bytes are right. */
async function downloadSlowly(rig: LinkRig, hashOf: (from: number, bytes: number) => unknown): Promise<boolean> {
  const url = `http://127.0.0.1:${rig.forward}/large.bin`;
  const range = `0-${slowBytes - 1}`;
  const child = Bun.spawn(['curl', '--silent', '--limit-rate', '20M', '--range', range, url], {
    stdout: 'pipe',
    timeout: resumeMs,
  });
  return Bun.hash(await new Response(child.stdout).arrayBuffer()) === hashOf(0, slowBytes);
}

/** Downloads the file while the link is cut; each time the rest is asked for. Returns whether all bytes are right. */
async function downloadWithCuts(rig: LinkRig, hashOf: (from: number, bytes: number) => unknown): Promise<boolean> {
  const whole = Buffer.allocUnsafe(largeBytes);
  const end = performance.now() + resumeMs;
  let got = 0;
  let cut = 0;
  while (got < largeBytes) {
    if (performance.now() > end) throw new Error(`only ${got} bytes in ${resumeMs / 1000} s`);
    try {
      const headers = { range: `bytes=${got}-` };
      const response = await fetch(`http://127.0.0.1:${rig.forward}/large.bin`, { headers, keepalive: false });
      for await (const part of response.body ?? []) {
        whole.set(part, got);
        got += part.length;
        if (cut >= cuts || got < ((cut + 1) * largeBytes) / (cuts + 1)) continue;
        cut += 1;
        rig.wan?.say('cut');
      }
    } catch {
      // Cut off, or the device is not back yet.
      await Bun.sleep(20);
    }
  }
  return Bun.hash(whole) === hashOf(0, largeBytes);
}

async function untilUp({ hub }: LinkRig, ups: number): Promise<void> {
  await until(() => hub.lines.filter(({ forward }) => forward !== undefined).length > ups, resumeMs, 'the link is up');
}
const upsOf = ({ hub }: LinkRig) => hub.lines.filter(({ forward }) => forward !== undefined).length;
const downsOf = ({ hub }: LinkRig) => hub.lines.filter(({ isDown }) => isDown === true).length;

/** The line passes nothing more, without a sign. Returns how long the hub takes to know. */
async function silenceUntilFound(rig: LinkRig, what: string, mostMs: number, isWaiting: boolean): Promise<LinkFigure> {
  const [ups, downs] = [upsOf(rig), downsOf(rig)];
  rig.wan?.say('freeze');
  await Bun.sleep(200);
  const began = performance.now();
  const request = isWaiting ? fetch(`http://127.0.0.1:${rig.forward}/small.bin`).catch(() => undefined) : undefined;
  await until(() => downsOf(rig) > downs, mostMs * 2, 'the hub finds the silence');
  const found = performance.now() - began;
  await request;
  rig.wan?.say('thaw');
  await untilUp(rig, ups);
  return { what, found: found / 1000, unit: 's', atMost: mostMs / 1000 };
}

/** The device is killed while a client downloads. Returns how long the client waits for the end. */
async function deathInDownload(rig: LinkRig): Promise<LinkFigure> {
  const response = await fetch(`http://127.0.0.1:${rig.forward}/large.bin`, { keepalive: false });
  const reader = response.body?.getReader();
  await reader?.read();
  const began = performance.now();
  await rig.device.child.kill();
  try {
    while ((await reader?.read())?.done === false);
  } catch {
    // The expected end.
  }
  const found = (performance.now() - began) / 1000;
  return { what: 'device killed in a download: client told after', found, unit: 's', atMost: 1 };
}
