import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readerSession } from '../../../tests/support/topic-reader.ts';
import { until } from '../../../tests/support/until.ts';
import { limits } from '../../contract/limits.ts';
import { groupTypes } from '../../contract/permission.ts';
import type { AnnouncedFile } from '../../contract/uploads.ts';
import type { Session } from '../../http/route.ts';
import { createLog } from '../../lib/log.ts';
import type { Database } from '../../store/database.ts';
import { memoryDatabase } from '../../store/memory-database-for-test.ts';
import { createAudit } from '../logs/audit.ts';
import type { TaskRun } from '../tasks/running-task.ts';
import { createTaskService, type TaskService } from '../tasks/service.ts';
import { createObjectAccess } from '../visibility/service.ts';
import { createUploadService, type UploadedFile, type UploadService } from './service.ts';

const withId = (session: Session, id: number, type: number = groupTypes.custom): Session => ({
  ...session,
  user: { ...session.user, id, type },
});
const ann = withId(readerSession('ann', 'deviceControl'), 2);
const bob = withId(readerSession('bob', 'deviceControl'), 4);
const admin = withId(readerSession('Admin', 'deviceControl'), 1, groupTypes.admin);
const actor = { name: 'ann', ip: '192.0.2.7' };

const bytes = new Uint8Array(100_000).map((_, at) => at * 7);
const sha256 = new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
const size = bytes.length;

type DetailedFile = UploadedFile & { readonly details: string };

let db: Database;
let folder: string;
let tasks: TaskService;
let uploads: UploadService;
let begin: (session: Session, announced: AnnouncedFile) => number;
let used: (DetailedFile & { readonly bytes: Uint8Array })[];
let use: (file: DetailedFile, run: TaskRun) => Promise<void>;
let freeBytes: number | undefined;

/** A hub as it starts. */
function start(times: Partial<Parameters<typeof createUploadService>[0]['times']> = {}): void {
  const log = createLog('error');
  tasks = createTaskService({
    ...{ db, log, access: createObjectAccess(), audit: createAudit(Date.now), now: Date.now },
    currentSession: () => null,
  });
  uploads = createUploadService({
    ...{ folder: join(folder, 'uploads'), tasks, log, freeBytes: () => freeBytes },
    times: { stallMs: 60_000, idleMs: 60_000, recheckMs: 0, ...times },
  });
  const register = uploads.register({
    ...{ kind: 'pen.draw', scope: 'deviceControl', maxBytes: 200_000, reservedBytes: 1000 },
    use: (file, run, details: string) => use({ ...file, details }, run),
  });
  begin = (session, announced) => register(session, announced, 'in blue');
  tasks.start();
  uploads.sweep();
}
beforeEach(() => {
  db = memoryDatabase();
  folder = mkdtempSync(join(tmpdir(), 'uploads-'));
  used = [];
  use = async (file) => void used.push({ ...file, bytes: readFileSync(file.path) });
  freeBytes = undefined;
  start();
});
afterEach(async () => {
  await tasks.close();
  rmSync(folder, { recursive: true });
});

const files = () => readdirSync(join(folder, 'uploads'));
const query = (id: number) => tasks.query(admin, id);
const ended = (id: number) => until(() => query(id).ended > 0);

/** A body that continues only as the test tells it to. */
function slowBody() {
  let to: ReadableStreamDefaultController<Uint8Array>;
  let isCanceled = false;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      to = controller;
    },
    cancel: () => {
      isCanceled = true;
    },
  });
  return {
    body,
    send: (from: number, end: number) => to.enqueue(bytes.slice(from, end)),
    end: () => to.close(),
    break: () => to.error(new Error('reset')),
    isCanceled: () => isCanceled,
  };
}
function bodyOf(data: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < data.length; at += 30_000) controller.enqueue(data.slice(at, at + 30_000));
      controller.close();
    },
  });
}

interface Sending {
  readonly from?: number;
  readonly total?: number | undefined;
  readonly end?: number | undefined;
  readonly as?: Session;
  readonly sender?: () => Session | null;
}
const sendBody = (id: number, body: ReadableStream<Uint8Array>, sending: Sending = {}) => {
  const { from = 0, total = size, end = size, as = ann, sender = () => as } = sending;
  return uploads.receive(as, id, { part: { from, end, total }, body, sender });
};
const send = (id: number, from = 0, end = size, sending: Sending = {}) =>
  sendBody(id, bodyOf(bytes.subarray(from, end)), { from, end, ...sending });

const refused = (result: string, message = '') =>
  expect.objectContaining({ result, message: expect.stringContaining(message) });

describe('an upload', () => {
  test('arrives in parts, with its progress in the task, and its noun gets the file and its hash', async () => {
    const id = begin(ann, { name: 'a.bin', size, sha256: sha256.toUpperCase() });
    expect(query(id)).toMatchObject({ kind: 'pen.draw', subject: 'a.bin', unit: 'bytes', done: 0, total: size });
    expect(await send(id, 0, 40_000)).toEqual({ done: 40_000, total: size });
    expect(query(id)).toMatchObject({ done: 40_000, state: 'running' });
    expect(await send(id, 40_000)).toEqual({ done: size, total: size });
    await ended(id);
    expect(query(id)).toMatchObject({ state: 'done', done: size });
    expect(used).toEqual([expect.objectContaining({ name: 'a.bin', size, sha256 })]);
    expect(Buffer.from(used[0]!.bytes).equals(bytes)).toBe(true);
    expect(files()).toEqual([]);
  });

  test('keeps what its noun moves away', async () => {
    use = async ({ path }) => renameSync(path, join(folder, 'kept'));
    const id = begin(ann, { name: 'a.bin', size });
    await send(id);
    await ended(id);
    expect([files(), readFileSync(join(folder, 'kept')).equals(bytes)]).toEqual([[], true]);
  });

  test('with another hash fails, which both the sender and the task learn', async () => {
    const id = begin(ann, { name: 'a.bin', size, sha256: 'ab'.repeat(32) });
    const message = `the SHA-256 of the file is ${sha256}, not ${'ab'.repeat(32)} as announced`;
    await expect(send(id)).rejects.toEqual(refused('verifyFailed', message));
    await ended(id);
    expect(query(id)).toMatchObject({ state: 'failed', fault: { result: 40, message } });
    expect([used, files()]).toEqual([[], []]);
  });

  test('continues where it broke off', async () => {
    const id = begin(ann, { name: 'a.bin', size });
    const { body, send: part, break: cut } = slowBody();
    const sending = sendBody(id, body);
    part(0, 50_000);
    await until(() => query(id).done === 50_000);
    cut();
    await expect(sending).rejects.toEqual(refused('interrupted'));
    expect(await send(id, 50_000)).toMatchObject({ done: size });
    await ended(id);
    expect(used[0]).toMatchObject({ sha256 });
  });

  test('is complete if the connection breaks after the last byte', async () => {
    const id = begin(ann, { name: 'a.bin', size });
    const { body, send: part, break: cut } = slowBody();
    const sending = sendBody(id, body);
    part(0, size);
    await until(() => query(id).done === size);
    cut();
    await expect(sending).rejects.toEqual(refused('interrupted'));
    await ended(id);
    expect(used[0]).toMatchObject({ sha256 });
  });
});

describe('an upload is refused before it begins', () => {
  test('if it is larger than its noun or any noun takes', () => {
    expect(() => begin(ann, { name: 'a.bin', size: 200_001 })).toThrow(
      expect.objectContaining({
        result: 'tooLarge',
        message: 'size: 200001 bytes, at most 200000 are allowed',
        fields: [expect.objectContaining({ path: 'size', rule: 'range' })],
      }),
    );
    expect(tasks.list(admin, {}).total).toBe(0);
  });

  test('if the data folder has no room for it and for those that are not complete', async () => {
    freeBytes = size * 2 + 1000;
    const id = begin(ann, { name: 'a.bin', size });
    begin(ann, { name: 'b.bin', size });
    expect(() => begin(ann, { name: 'c.bin', size: 1 })).toThrow(
      refused('noSpace', 'size: 1 bytes, but the data folder has space for 0') as Error,
    );
    await send(id, 0, 40_000);
    // What has arrived takes up its space already.
    begin(ann, { name: 'c.bin', size: 40_000 });
    expect(files()).toHaveLength(3);
  });

  test('if those that have not ended are too large in total, or too many', () => {
    const register = uploads.register({
      ...{ kind: 'pen.big', scope: 'deviceControl', maxBytes: limits.uploads.maxBytes, reservedBytes: 1000 },
      use: async () => {},
    });
    begin = (session, announced) => register(session, announced, undefined);
    begin(ann, { name: 'a.bin', size: limits.uploads.maxBytes });
    begin(ann, { name: 'b.bin', size: limits.uploads.maxBytes });
    expect(() => begin(ann, { name: 'c.bin', size: 1 })).toThrow(refused('noSpace', '4294967296 bytes') as Error);
    expect(files()).toHaveLength(2);
  });

  test('if its user has too many tasks, and leaves no file behind', () => {
    for (let at = 0; at < limits.tasks.perUser; at++) begin(ann, { name: 'a.bin', size: 1 });
    expect(() => begin(ann, { name: 'b.bin', size: 1 })).toThrow(refused('tooMany') as Error);
    expect(files()).toHaveLength(limits.tasks.perUser);
  });
});

describe('a part is refused, and nothing that has arrived is lost', () => {
  let id: number;
  beforeEach(async () => {
    id = begin(ann, { name: 'a.bin', size, sha256 });
    await send(id, 0, 40_000);
  });
  afterEach(async () => {
    expect(await send(id, 40_000)).toMatchObject({ done: size });
    await ended(id);
    expect(query(id).state).toBe('done');
  });

  test('at a wrong offset', async () => {
    const range = 'the file continues at byte 40000, not 0: send Content-Range: bytes 40000-99999/100000';
    await expect(send(id)).rejects.toEqual(refused('rangeError', range));
    await expect(send(id, 50_000)).rejects.toMatchObject({ result: 'rangeError', params: { done: 40_000 } });
  });

  test('with another size of the whole file', async () => {
    await expect(send(id, 40_000, size, { total: size - 1 })).rejects.toEqual(refused('mismatch', 'not 99999'));
    await expect(send(id, 40_000, size, { total: size + 1 })).rejects.toEqual(refused('tooLarge', 'not 100001'));
  });

  test('with more bytes than announced', async () => {
    const longer = () => bodyOf(new Uint8Array(70_000));
    await expect(sendBody(id, longer(), { from: 40_000 })).rejects.toEqual(refused('tooLarge', '60000 bytes'));
    const unknown = { from: 40_000, total: undefined, end: undefined };
    await expect(sendBody(id, longer(), unknown)).rejects.toEqual(refused('tooLarge'));
    await expect(sendBody(id, longer(), { from: 40_000, end: 50_000 })).rejects.toEqual(refused('tooLarge'));
    expect([query(id).done, Bun.file(join(folder, 'uploads', files()[0]!)).size]).toEqual([40_000, 40_000]);
  });

  test('of another user, whom an administrator is, too', async () => {
    await expect(send(id, 40_000, size, { as: bob })).rejects.toEqual(refused('notExist'));
    await expect(send(id, 40_000, size, { as: admin })).rejects.toEqual(refused('notPermitted'));
  });

  test('from a user who has lost the permission, also while data arrives', async () => {
    const less = withId(readerSession('ann', 'deviceView'), 2);
    await expect(send(id, 40_000, size, { as: less, sender: () => ann })).rejects.toEqual(
      refused('notPermitted', 'deviceControl'),
    );
    const without = (sender: () => Session | null) => send(id, 40_000, size, { sender });
    await expect(without(() => less)).rejects.toEqual(refused('notPermitted', 'deviceControl'));
    await expect(without(() => null)).rejects.toEqual(refused('notLoggedIn'));
  });
});

test('a second connection at the same time is refused, and the first one continues', async () => {
  const id = begin(ann, { name: 'a.bin', size });
  const { body, send: part, end } = slowBody();
  const sending = sendBody(id, body);
  part(0, 45_000);
  await until(() => query(id).done === 45_000);
  await expect(send(id, 45_000)).rejects.toEqual(refused('inProgress'));
  part(45_000, size);
  end();
  expect(await sending).toMatchObject({ done: size });
  await ended(id);
  expect(used[0]).toMatchObject({ sha256 });
});

test('a part for a task that has ended, or that is not an upload, is refused', async () => {
  const id = begin(ann, { name: 'a.bin', size });
  await send(id);
  await ended(id);
  await expect(send(id)).rejects.toEqual(refused('wrongState'));
  const other = tasks.begin(ann, { kind: 'pen.fill' }, async () => {});
  await expect(send(other)).rejects.toEqual(refused('wrongState'));
  await expect(send(99)).rejects.toEqual(refused('notExist'));
});

describe('an upload ends', () => {
  test('at once when it is canceled, and its file goes', async () => {
    const id = begin(ann, { name: 'a.bin', size });
    const { body, send: part, isCanceled } = slowBody();
    const sending = sendBody(id, body);
    part(0, 50_000);
    await until(() => query(id).done === 50_000);
    const fault = sending.catch((error) => error);
    await tasks.cancel(actor, ann, id);
    expect(await fault).toEqual(refused('canceled'));
    expect([query(id).state, isCanceled(), files(), used]).toEqual(['canceled', true, [], []]);
    await expect(send(id, 50_000)).rejects.toEqual(refused('wrongState'));
  });

  test('while its noun uses it, if that is canceled', async () => {
    use = (_, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const id = begin(ann, { name: 'a.bin', size });
    await send(id);
    await expect(send(id)).rejects.toEqual(refused('wrongState', 'the file is already complete'));
    await tasks.cancel(actor, ann, id);
    expect([query(id).state, files()]).toEqual(['canceled', []]);
  });

  test('when nothing arrives for a long time', async () => {
    start({ idleMs: 50 });
    const id = begin(ann, { name: 'a.bin', size });
    await send(id, 0, 40_000);
    await ended(id);
    expect(query(id)).toMatchObject({ state: 'failed', fault: { result: 2 } });
    expect([query(id).fault?.message, files()]).toEqual([expect.stringContaining('no data was received for'), []]);
  });

  test('with the error of its noun', async () => {
    use = () => Promise.reject(new Error('with a secret in it'));
    const id = begin(ann, { name: 'a.bin', size });
    await send(id);
    await ended(id);
    expect([query(id).fault?.result, files()]).toEqual([6, []]);
  });
});

test('a connection that stalls is closed, and another one continues', async () => {
  start({ stallMs: 50 });
  const id = begin(ann, { name: 'a.bin', size });
  const { body, send: part, isCanceled } = slowBody();
  const sending = sendBody(id, body);
  part(0, 50_000);
  await expect(sending).rejects.toEqual(refused('timeout', 'no data was received for 0.05 seconds'));
  expect([isCanceled(), query(id).state]).toEqual([true, 'running']);
  expect(await send(id, 50_000)).toMatchObject({ done: size });
});

describe('after a restart of the hub', () => {
  test('an upload continues with what is on the disk, and whatever else is there is removed', async () => {
    const id = begin(ann, { name: 'a.bin', size, sha256 });
    await send(id, 0, 40_000);
    await tasks.close();
    writeFileSync(join(folder, 'uploads', 'of-no-task'), 'x');
    mkdirSync(join(folder, 'uploads', 'folder', 'of-others'), { recursive: true });
    start();
    await until(() => query(id).done === 40_000);
    expect(files()).toHaveLength(1);
    expect(await send(id, 40_000)).toMatchObject({ done: size });
    await ended(id);
    expect(query(id).state).toBe('done');
  });

  test('a request that arrives while the file is read back waits for that', async () => {
    const id = begin(ann, { name: 'a.bin', size, sha256 });
    await send(id, 0, 40_000);
    await tasks.close();
    start();
    expect(await send(id, 40_000)).toMatchObject({ done: size });
  });

  test('its noun gets a file that was complete, and one that it moved away ends the task', async () => {
    use = (_, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const [first, second] = [begin(ann, { name: 'a.bin', size }), begin(ann, { name: 'b.bin', size: 1 })];
    await send(first);
    await send(second, 0, 1, { total: 1 });
    await tasks.close();
    const moved = files().find((name) => readFileSync(join(folder, 'uploads', name)).length === 1);
    rmSync(join(folder, 'uploads', moved!));
    use = async (file) => void used.push({ ...file, bytes: readFileSync(file.path) });
    start();
    await Promise.all([ended(first), ended(second)]);
    expect(used.map(({ name }) => name)).toEqual(['a.bin']);
    expect(query(second)).toMatchObject({ state: 'failed', fault: { result: 3 } });
    expect(existsSync(join(folder, 'uploads', moved!))).toBe(false);
  });

  test('a new user with the id of a deleted one does not continue their upload', async () => {
    const id = begin(ann, { name: 'a.bin', size });
    tasks.disown(db, ann.user.id);
    await expect(send(id)).rejects.toEqual(refused('notExist'));
    await tasks.close();
    start();
    await expect(send(id)).rejects.toEqual(refused('notExist'));
  });
});
