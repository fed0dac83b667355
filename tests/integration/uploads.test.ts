/** Files to and from a hub with curl, as administrators and their scripts send them. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { randomFillSync } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Task } from '../../daemon/contract/tasks.ts';
import { peakBytes, resetPeak } from '../support/peak-memory.ts';
import { until, untilSeen } from '../support/until.ts';
import { type HubProcess, startHub } from './hub-process.ts';

setDefaultTimeout(60_000);

const waitMs = 20_000;
const mebibyte = 1024 * 1024;
const size = 40 * mebibyte;
/** What an upload of any size may cost. */
const memoryBytes = 30 * mebibyte;
const pens = [process.execPath, 'tests/fixtures/pens/hub.ts'];

let folder: string;
let file: string;
let sha256: string;
let hub: HubProcess;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sb-uploads-'));
  file = join(folder, 'file.bin');
  const bytes = randomFillSync(Buffer.allocUnsafe(size));
  writeFileSync(file, bytes);
  sha256 = new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
  hub = await startHub({ program: pens });
  await hub.login();
});
afterAll(async () => {
  await hub.stop();
  rmSync(folder, { recursive: true, force: true });
});

const begin = async (of = hub, announced: object = { sha256 }) =>
  (await of.api<{ task: number }>('/api/pen/draw', { name: 'file.bin', size, ...announced })).task;
const query = (task: number, of = hub) => of.api<Task>(`/api/task/query?id=${task}`);
const dataOf = (task: number, of = hub) => `${of.url}/api/upload/data?task=${task}`;
const state = async (task: number, wanted: Task['state'], of = hub) =>
  untilSeen(
    () => query(task, of),
    (seen) => seen.state === wanted,
    waitMs,
    `the upload is ${wanted}`,
  );
const uploadsOf = (of: HubProcess) => readdirSync(join(of.dataDir, 'uploads'));

interface Done {
  readonly code: number;
  readonly status: number;
  /** Bytes of the body that curl sent. */
  readonly sent: number;
  readonly text: string;
}

/** `cookie` without one: a request without a session. */
function startCurl(args: readonly string[], { cookie } = hub.headers()) {
  const write = ['--write-out', '\n%{http_code} %{size_upload}'];
  const child = Bun.spawn(
    ['curl', '--silent', '--show-error', ...write, ...(cookie === undefined ? [] : ['--cookie', cookie]), ...args],
    { stdout: 'pipe', stderr: 'pipe', timeout: waitMs },
  );
  const done = Promise.all([child.exited, new Response(child.stdout).text()]).then(([code, out]): Done => {
    const [, text = '', status, sent] = /^(.*)\n(\d+) (\d+)$/s.exec(out) ?? [];
    return { code, status: Number(status), sent: Number(sent), text };
  });
  return { kill: () => child.kill('SIGKILL'), done };
}
const curl = (...args: string[]) => startCurl(args).done;

const sameAsFile = (path: string) => expect(Bun.spawnSync(['cmp', file, path]).stdout.toString()).toBe('');
const drawing = () => join(hub.dataDir, 'drawing.bin');

/** Sends slowly and waits until some of the file has arrived. */
async function sendSome(task: number) {
  const sender = startCurl(['--limit-rate', '8M', '-T', file, dataOf(task)]);
  await until(async () => (await query(task)).done > 2 * mebibyte, waitMs, 'some of the file has arrived');
  return sender;
}

test('a file arrives as it was sent, and costs little memory', async () => {
  const task = await begin();
  const before = resetPeak(hub.pid);
  const sent = await curl('-T', file, dataOf(task));
  expect(JSON.parse(sent.text)).toEqual({ result: 0, done: size, total: size });
  expect(peakBytes(hub.pid) - before).toBeLessThan(memoryBytes);
  expect(await state(task, 'done')).toMatchObject({ done: size, total: size, unit: 'bytes' });
  sameAsFile(drawing());
  expect(uploadsOf(hub)).toEqual([]);
});

test('curl that was killed continues where the hub is', async () => {
  const task = await begin();
  const first = await sendSome(task);
  first.kill();
  await first.done;
  // Until the hub notices that, the connection counts.
  const again = () => query(task).then(({ done }) => curl('-C', String(done), '-T', file, dataOf(task)));
  const second = await untilSeen(again, ({ status }) => status !== 409, waitMs, 'the first connection is gone');
  expect(second).toMatchObject({ code: 0, status: 200 });
  expect(second.sent).toBeLessThan(size - mebibyte);
  await state(task, 'done');
  sameAsFile(drawing());
});

test('a hub that was killed continues with what is on its disk', async () => {
  const task = await begin();
  const sender = await sendSome(task);
  await hub.kill('SIGKILL');
  expect((await sender.done).code).not.toBe(0);
  const [name = ''] = uploadsOf(hub);
  const onDisk = statSync(join(hub.dataDir, 'uploads', name)).size;
  expect(onDisk).toBeGreaterThan(2 * mebibyte);
  writeFileSync(join(hub.dataDir, 'uploads', 'of-no-task'), 'x');
  await hub.restart();
  await untilSeen(
    () => query(task),
    ({ done }) => done === onDisk,
    waitMs,
    'the task knows what is on the disk',
  );
  expect(uploadsOf(hub)).toEqual([name]);
  expect(await curl('-T', file, dataOf(task))).toMatchObject({ status: 409 });
  expect(await curl('-C', String(onDisk), '-T', file, dataOf(task))).toMatchObject({ status: 200 });
  await state(task, 'done');
  sameAsFile(drawing());
});

test('a canceled upload ends its connection and removes its file', async () => {
  const task = await begin();
  const sender = await sendSome(task);
  await hub.api('/api/task/cancel', { id: task });
  expect((await query(task)).state).toBe('canceled');
  expect(uploadsOf(hub)).toEqual([]);
  const { sent, status } = await sender.done;
  expect([status, sent < size]).toEqual([409, true]);
});

test('a file with another hash is refused', async () => {
  const task = await begin(hub, { sha256: 'ab'.repeat(32) });
  const { status, text } = await curl('-T', file, dataOf(task));
  expect([status, JSON.parse(text).message]).toEqual([422, expect.stringContaining(sha256)]);
  expect(await state(task, 'failed')).toMatchObject({ fault: { result: 40 } });
});

describe('a file that is refused is not read, and costs nothing', () => {
  const refused = async (args: readonly string[], headers?: Record<string, string>) => {
    const before = resetPeak(hub.pid);
    const { status, sent } = await startCurl(args, headers).done;
    expect(sent).toBeLessThan(size / 2);
    expect(peakBytes(hub.pid) - before).toBeLessThan(4 * mebibyte);
    return status;
  };

  test('without a session', async () => expect(await refused(['-T', file, dataOf(1)], {})).toBe(401));
  test('for a task that has ended', async () => expect(await refused(['-T', file, dataOf(1)])).toBe(409));
  test('without a task', async () => expect(await refused(['-T', file, dataOf(9999)])).toBe(404));
  test('at a wrong offset', async () => {
    const task = await begin();
    expect(await refused(['-C', '1000', '-T', file, dataOf(task)])).toBe(409);
    await hub.api('/api/task/cancel', { id: task });
  });
  test('of another size', async () => {
    const task = await begin(hub, { size: size - 1 });
    expect(await refused(['-T', file, dataOf(task)])).toBe(413);
    await hub.api('/api/task/cancel', { id: task });
  });
  test('from a page of another origin', async () =>
    expect(await refused(['-H', 'origin: http://evil.example', '-T', file, dataOf(1)])).toBe(403));
  test('as JSON', async () => {
    const json = ['-H', 'content-type: application/json', '--data-binary', `@${file}`, `${hub.url}/api/pen/add`];
    expect(await refused(json)).toBe(413);
  });
});

test('a slow disk slows the sender down instead of filling the memory', async () => {
  const slow = await startHub({ program: pens, env: { PENS_WRITE_MS: '10' } });
  try {
    await slow.login();
    const task = await begin(slow);
    const before = resetPeak(slow.pid);
    const { status } = await startCurl(['-T', file, dataOf(task, slow)], slow.headers()).done;
    expect([status, peakBytes(slow.pid) - before < memoryBytes]).toEqual([200, true]);
    await state(task, 'done', slow);
  } finally {
    await slow.stop();
  }
});

test('a download continues with curl -C, and costs little memory', async () => {
  const got = join(folder, 'got.bin');
  const from = `${hub.url}/api/pen/drawing`;
  const before = resetPeak(hub.pid);
  const first = startCurl(['--limit-rate', '8M', '-o', got, from]);
  await until(() => (statSync(got, { throwIfNoEntry: false })?.size ?? 0) > mebibyte, waitMs, 'some has arrived');
  first.kill();
  await first.done;
  const part = statSync(got).size;
  expect(part).toBeLessThan(size);
  expect(await curl('-C', '-', '-o', got, from)).toMatchObject({ code: 0, status: 206 });
  sameAsFile(got);
  expect(peakBytes(hub.pid) - before).toBeLessThan(memoryBytes);
});
