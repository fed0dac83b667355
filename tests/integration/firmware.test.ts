/** The firmware library on a real hub: the published upload with curl, ours with resumption, and a hub that is killed. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { randomFillSync } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Firmware } from '../../daemon/contract/firmware.ts';
import type { Task } from '../../daemon/contract/tasks.ts';
import { peakBytes, resetPeak } from '../support/peak-memory.ts';
import { untilSeen } from '../support/until.ts';
import { type HubProcess, startHub } from './hub-process.ts';

setDefaultTimeout(60_000);

const waitMs = 20_000;
const mebibyte = 1024 * 1024;
const size = 60 * mebibyte;
/** What a published upload of any size may cost, with the garbage of its reads: less than the file has. */
const memoryBytes = 45 * mebibyte;
const name = 'firmware-787-0-B-2.4.288.mwf';

let folder: string;
let file: string;
let bytes: Uint8Array<ArrayBuffer>;
let sha256: string;
let hub: HubProcess;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sb-firmware-'));
  file = join(folder, name);
  bytes = randomFillSync(new Uint8Array(size));
  writeFileSync(file, bytes);
  sha256 = new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
  hub = await startHub({});
  await hub.login();
});
afterAll(async () => {
  await hub.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function curl(...parameters: readonly string[]): Promise<{ code: number; text: string }> {
  const cookie = new Headers(hub.headers()).get('cookie') ?? '';
  const run = Bun.spawn(['curl', '-sS', '--max-time', '50', '-H', `cookie: ${cookie}`, ...parameters], {
    stderr: 'ignore',
  });
  const text = await new Response(run.stdout).text();
  return { code: await run.exited, text };
}
/** As published clients send it. */
const publish = async (form: string) => {
  const { text } = await curl('-F', form, `${hub.url}/api/firmware/upload`);
  return JSON.parse(text) as { result: number; 'file-path': string };
};
const list = async (query = '') => (await hub.api<{ list: Firmware[] }>(`/api/firmware/list${query}`)).list;
const inLibrary = () =>
  readdirSync(join(hub.dataDir, 'firmware'), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);
const waiting = () => readdirSync(join(hub.dataDir, 'firmware/waiting'));
const task = (id: number) => hub.api<Task>(`/api/task/query?id=${id}`);
const ends = (id: number) =>
  untilSeen(
    () => task(id),
    (seen) => seen.ended > 0,
    waitMs,
    'the upload has ended',
  );
const begin = async (announced: object) =>
  (await hub.api<{ task: number }>('/api/firmware/begin-upload', { name, size, ...announced })).task;
const send = (id: number, from = 0, end = size) =>
  fetch(`${hub.url}/api/upload/data?task=${id}`, {
    method: 'PUT',
    body: bytes.subarray(from, end),
    headers: { ...hub.headers(), 'content-range': `bytes ${from}-${end - 1}/${size}` },
  });

describe('the published upload', () => {
  test('takes a form of 60 MB in little memory, and the file is in the library once it is added', async () => {
    // What a first form loads is not counted.
    writeFileSync(join(folder, 'first'), 'x');
    await publish(`file=@${join(folder, 'first')}`);
    const before = resetPeak(hub.pid);
    const answer = await publish(`file=@${file}`);
    expect(peakBytes(hub.pid) - before).toBeLessThan(memoryBytes);
    expect(answer).toMatchObject({
      ...{ result: 0, 'file-size': size },
      'firmware-info': { 'product-id': 787, 'hardware-ver': 'B', 'marjor-ver': 2, 'minor-ver': 4, 'build-number': 288 },
    });
    expect([await list(), waiting()]).toEqual([[], [answer['file-path']]]);
    const { id } = await hub.api<{ id: number }>('/api/firmware/add', { 'file-path': answer['file-path'] });
    expect(await list('?dev-type=2&product-id=787&hardware-ver=B')).toMatchObject([
      { id, name, 'file-size': size, sha256, module: 2, version: '2.4.288', 'in-use': false, 'uploaded-by': 'Admin' },
    ]);
    expect(await list('?dev-type=1')).toEqual([]);
    expect(waiting()).toEqual([]);
  });

  test('of the same file is refused when it is added, and can be sent again', async () => {
    const { 'file-path': path } = await publish(`file=@${file}`);
    const refused = await hub.answer('/api/firmware/add', { 'file-path': path });
    expect(refused).toMatchObject({ result: 1003, params: { what: name } });
    expect(await hub.answer('/api/firmware/add', { 'file-path': '../hub.db' })).toMatchObject({
      ...{ result: 7, fields: [{ path: 'file-path', rule: 'exists' }] },
    });
  });

  test('of another kind of file is refused, whatever its name, and the connection survives', async () => {
    const small = join(folder, 'small');
    writeFileSync(small, 'x');
    expect(await publish(`file=@${small};filename=../../evil.exe`)).toMatchObject({ result: 23 });
    expect(await publish(`other=@${small}`)).toMatchObject({ result: 7, fields: [{ path: 'file', rule: 'required' }] });
    expect(await publish(`file=@${file};filename=large.bin`)).toMatchObject({ result: 23 });
    expect(await publish(`file=@${small};filename=../固件.mwf`)).toMatchObject({ result: 0, 'file-size': 1 });
  });

  test('that breaks off leaves nothing', async () => {
    const before = waiting();
    const { code } = await curl(
      '--limit-rate',
      '5M',
      '--max-time',
      '2',
      '-F',
      `file=@${file}`,
      `${hub.url}/api/firmware/upload`,
    );
    expect(code).toBe(28);
    await untilSeen(
      async () => waiting(),
      (now) => now.length === before.length,
      waitMs,
      'the part is removed',
    );
  });
});

test('a download has the published name, and continues where it broke off', async () => {
  const [{ id } = { id: 0 }] = await list();
  const url = `${hub.url}/api/firmware/download?id=${id}`;
  const whole = await curl('-D', '-', '-o', join(folder, 'got'), '--limit-rate', '20M', '--max-time', '1', url);
  expect(whole.text).toContain(`filename="${name}"`);
  const rest = await curl('-C', '-', '-o', join(folder, 'got'), url);
  expect(rest.code).toBe(0);
  expect(Buffer.from(await Bun.file(join(folder, 'got')).bytes()).equals(bytes)).toBe(true);
  expect((await fetch(`${hub.url}/api/firmware/download?id=99`, { headers: hub.headers() })).status).toBe(404);
});

test('an upload continues after the hub was killed, and nothing is half in the library', async () => {
  await hub.api('/api/firmware/del', { id: (await list())[0]?.id });
  expect(inLibrary()).toEqual([]);
  const id = await begin({});
  await send(id, 0, 20 * mebibyte);
  await hub.kill('SIGKILL');
  writeFileSync(join(hub.dataDir, 'firmware', 'half'), 'a file');
  await hub.restart();
  await untilSeen(
    () => task(id),
    ({ done }) => done === 20 * mebibyte,
    waitMs,
    'the task knows what is on the disk',
  );
  expect(await list()).toEqual([]);
  expect((await send(id, 20 * mebibyte)).status).toBe(200);
  expect(await ends(id)).toMatchObject({ state: 'done' });
  expect(await list()).toMatchObject([{ name, sha256, 'file-size': size, 'uploaded-by': 'Admin' }]);
  expect([inLibrary().length, readdirSync(join(hub.dataDir, 'uploads'))]).toEqual([1, []]);
});

test('a canceled upload leaves nothing, and a version with another content asks first', async () => {
  const announced = { name, size };
  expect(await hub.answer('/api/firmware/begin-upload', announced)).toMatchObject({
    ...{ result: 1003, fields: [{ path: 'replace', rule: 'exists' }] },
  });
  const same = await begin({ replace: true });
  await send(same);
  expect(await ends(same)).toMatchObject({ state: 'failed', fault: { result: 1003, params: { what: name } } });
  const canceled = await begin({ replace: true });
  await send(canceled, 0, 1000);
  await hub.api('/api/task/cancel', { id: canceled });
  expect([inLibrary().length, readdirSync(join(hub.dataDir, 'uploads'))]).toEqual([1, []]);
});
