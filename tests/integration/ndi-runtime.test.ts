/** An administrator uploads the NDI runtime to a real hub: a separate process loads it first, as it does in the product. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Operation } from '../../daemon/contract/logs.ts';
import type { NdiRuntime } from '../../daemon/contract/ndi-router.ts';
import type { Task } from '../../daemon/contract/tasks.ts';
import { buildDouble } from '../sim/ndi/build-double.ts';
import { until, untilSeen } from '../support/until.ts';
import { type HubProcess, startHub } from './hub-process.ts';

setDefaultTimeout(60_000);

let hub: HubProcess;
let folder: string;
let library: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sb-ndi-upload-'));
  library = new Uint8Array(readFileSync(await buildDouble(folder)));
  hub = await startHub({ env: { SIGNALBOX_FEATURES: 'ndi-router,devices' } });
  await hub.login();
});
afterAll(async () => {
  await hub?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const runtime = async () => (await hub.api<{ runtime: NdiRuntime }>('/api/ndi/runtime/get')).runtime;

/** Returns the task when it has ended. */
async function upload(bytes: Uint8Array<ArrayBuffer>): Promise<Task> {
  const announced = { name: 'libndi.so.6.3.99', size: bytes.length, 'license-accepted': true };
  const { task } = await hub.api<{ task: number }>('/api/ndi/runtime/upload', announced);
  const url = `${hub.url}/api/upload/data?task=${task}`;
  await fetch(url, { method: 'PUT', body: bytes, headers: hub.headers() });
  return untilSeen(
    () => hub.api<Task>(`/api/task/query?id=${task}`),
    ({ state }) => state === 'done' || state === 'failed',
  );
}

test('a runtime is not taken before the license of its vendor was accepted', async () => {
  const answer = await hub.answer('/api/ndi/runtime/upload', {
    name: 'libndi.so.6',
    size: 4,
    'license-accepted': false,
  });
  expect(answer).toMatchObject({ result: 7, fields: [{ path: 'license-accepted' }] });
});

test('a file that cannot be used is refused, and what was there stays; a good one is loaded and used', async () => {
  expect(await runtime()).toMatchObject({ state: 'missing', remedy: 'installRuntime' });
  expect(await upload(library.slice(0, 4096))).toMatchObject({
    ...{ state: 'failed', fault: { result: 40, params: { fault: 'truncated' } } },
  });
  expect(await runtime()).toMatchObject({ state: 'missing' });

  expect(await upload(library)).toMatchObject({ state: 'done' });
  const running = await untilSeen(runtime, ({ state }) => state === 'running');
  expect(running).toMatchObject({ version: '6.3.99.0', path: join(hub.dataDir, 'ndi/runtime/libndi.so.6') });

  expect(await upload(new TextEncoder().encode('no library'))).toMatchObject({
    state: 'failed',
    fault: { result: 40 },
  });
  expect(await runtime()).toMatchObject({ state: 'running' });
  const { list } = await hub.api<{ list: Operation[] }>('/api/log/list?count=20');
  const entries = list.filter(({ action }) => action.startsWith('ndiRuntime'));
  expect(entries.map(({ action, subject }) => [action, subject])).toEqual([['ndiRuntime.add', '6.3.99.0']]);
});

test('the process that uses the runtime ends with the hub, even if that is killed', async () => {
  const [, pid] = /NDI router connected pid=(\d+)/.exec(hub.logs()) ?? [];
  expect(isRunning(Number(pid))).toBe(true);
  await hub.kill('SIGKILL');
  await until(() => !isRunning(Number(pid)));
  await hub.restart();
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
