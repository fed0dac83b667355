/** Memory and time of a large file to and from the hub, compared with nginx, which stores a PUT with its DAV module. */
import { randomFillSync } from 'node:crypto';
import { chmodSync, closeSync, openSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { peakBytes, resetPeak } from '../../support/peak-memory.ts';
import { leasePort } from '../../support/ports.ts';
import { until } from '../../support/until.ts';
import { type BenchHub, startHub } from '../hub.ts';
import { cpuSeconds, machineBusySeconds, threadTimes } from '../proc.ts';
import type { Transfer, UploadResult } from '../report/result.ts';
import { openNginx, rtmpBlock } from '../subjects/nginx-rtmp.ts';
import { makeTempFolder, removeTempFolder } from '../temp-folder.ts';

const bytes = 300_000_000;
const repeats = 3;
const transferMs = 120_000;
const askEveryMs = 10;
/** A hub that has just started still grows by itself. */
const settleMs = 3000;
/** A disk that takes so long for each write. */
const slowWriteMs = 2;
const pens = [process.execPath, 'tests/fixtures/pens/hub.ts'];

export async function measureUpload(): Promise<UploadResult> {
  const folder = makeTempFolder('upload');
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < bytes * 5) throw new Error(`${folder} needs ${(bytes * 5) / 1e9} GB of free space`);
  const file = join(folder, 'file.bin');
  writeRandom(file);
  try {
    const [ours, peer] = [await measureHub(file), await measureNginx(file)];
    const slow = await measureSlowDisk(file);
    return { bytes, ...ours, transfers: [...ours.transfers, slow, ...peer] };
  } finally {
    removeTempFolder(folder);
  }
}

function writeRandom(path: string): void {
  const block = Buffer.allocUnsafe(1_000_000);
  const out = openSync(path, 'w', 0o644);
  for (let at = 0; at < bytes; at += block.length) writeSync(out, randomFillSync(block));
  closeSync(out);
}

interface Work {
  readonly what: string;
  readonly isOurs: boolean;
  readonly pids: readonly number[];
  /** Runs curl; returns the HTTP status. */
  readonly run: () => Promise<number>;
  readonly status: number;
  readonly times: number;
}

/** The time is the median; memory is the highest growth. */
async function transfer({ what, isOurs, pids, run, status, times }: Work): Promise<Transfer> {
  const all = [];
  for (let i = 0; i < times; i++) {
    const before = pids.map(resetPeak);
    const [threads, busy, own, at] = [
      threadTimes(pids),
      machineBusySeconds(),
      threadTimes([process.pid]),
      performance.now(),
    ];
    const got = await run();
    const seconds = (performance.now() - at) / 1000;
    if (got !== status) throw new Error(`${what}: curl got status ${got} instead of ${status}`);
    const cpu = cpuSeconds(threads, threadTimes(pids));
    const bench = cpuSeconds(own, threadTimes([process.pid]));
    const growth = pids.reduce((sum, pid, j) => sum + Math.max(0, peakBytes(pid) - (before[j] ?? 0)), 0);
    all.push({ seconds, cpu, growth, others: Math.max(0, (machineBusySeconds() - busy - cpu - bench) / seconds) });
  }
  const middle = all.toSorted((a, b) => a.seconds - b.seconds)[Math.floor(times / 2)];
  return {
    ...{ what, isOurs, seconds: middle?.seconds ?? 0, cpuSeconds: middle?.cpu ?? 0 },
    growthBytes: Math.max(...all.map(({ growth }) => growth)),
    othersCpu: middle?.others ?? 0,
  };
}

async function curl(...args: string[]): Promise<number> {
  const child = Bun.spawn(
    ['curl', '--silent', '--write-out', '%{stderr}%{http_code}', '--output', '/dev/null', ...args],
    {
      stdout: 'ignore',
      stderr: 'pipe',
      timeout: transferMs,
    },
  );
  const [text] = await Promise.all([new Response(child.stderr).text(), child.exited]);
  return Number(text);
}

async function beginUpload(hub: BenchHub): Promise<number> {
  const { task } = (await hub.call('/api/pen/draw', { name: 'file.bin', size: bytes })) as { task: number };
  return task;
}
const untilUsed = (hub: BenchHub, task: number) =>
  until(async () => (await hub.call(`/api/task/query?id=${task}`)).state === 'done', transferMs, 'the file is used');

async function upload(hub: BenchHub, file: string): Promise<number> {
  const task = await beginUpload(hub);
  const status = await curl('--cookie', hub.cookie, '-T', file, `${hub.url}/api/upload/data?task=${task}`);
  await untilUsed(hub, task);
  return status;
}

async function measureHub(file: string) {
  const hub = await startHub({ program: pens });
  try {
    const common = { isOurs: true, pids: hub.processes().hub };
    const askings = startAsking(hub);
    await Bun.sleep(settleMs);
    const up = await transfer({
      ...{ ...common, what: 'up', status: 200, times: repeats },
      run: () => upload(hub, file),
    });
    const longestAnswerMs = await askings.stop();
    const down = await transfer({
      ...{ ...common, what: 'down', status: 200, times: repeats },
      run: () => curl('--cookie', hub.cookie, `${hub.url}/api/pen/drawing`),
    });
    const refused = await transfer({
      ...{ ...common, what: 'refused', status: 401, times: 1 },
      run: () => curl('-T', file, `${hub.url}/api/upload/data?task=1`),
    });
    return { transfers: [up, down, refused], longestAnswerMs };
  } finally {
    await hub.stop();
  }
}

/** Asks for the session all the time: how long other requests wait while a file arrives. */
function startAsking(hub: BenchHub): { stop(): Promise<number> } {
  let isOver = false;
  let longest = 0;
  const asking = (async () => {
    while (!isOver) {
      const at = performance.now();
      await hub.call('/api/session');
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

async function measureSlowDisk(file: string): Promise<Transfer> {
  const hub = await startHub({ program: pens, env: { PENS_WRITE_MS: String(slowWriteMs) } });
  try {
    return await transfer({
      ...{ what: `up, ${slowWriteMs} ms per write`, isOurs: true, pids: hub.processes().hub, status: 200, times: 1 },
      run: () => upload(hub, file),
    });
  } finally {
    await hub.stop();
  }
}

async function measureNginx(file: string): Promise<Transfer[]> {
  const root = makeTempFolder('dav');
  // Its worker runs as another user when root starts nginx.
  chmodSync(root, 0o777);
  const port = leasePort();
  const blocks = `${rtmpBlock(leasePort(), '')}${davBlock(root, port)}`;
  const nginx = await openNginx(makeTempFolder('nginx'), port, blocks);
  try {
    const common = { isOurs: false, pids: Object.values(nginx.processes()).flat(), times: repeats };
    const url = `http://127.0.0.1:${port}/file.bin`;
    const up = await transfer({ ...common, what: 'up', status: 201, times: 1, run: () => curl('-T', file, url) });
    const again = await transfer({ ...common, what: 'up', status: 204, run: () => curl('-T', file, url) });
    const down = await transfer({ ...common, what: 'down', status: 200, run: () => curl(url) });
    return [{ ...again, growthBytes: Math.max(up.growthBytes, again.growthBytes) }, down];
  } finally {
    await nginx.close();
    removeTempFolder(root);
  }
}

/** Like the hub, it stores the body in a file of the same file system, which it then renames. */
function davBlock(root: string, port: number): string {
  return `http {
  access_log off;
  sendfile on; tcp_nopush on;
  client_max_body_size 0;
  client_body_temp_path ${root}/arriving;
  server { listen 127.0.0.1:${port}; root ${root}; dav_methods PUT; }
}
`;
}
