/** A data folder on its own file system, filled to the last page: in a mount namespace, where this file runs again. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { randomFillSync } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Alarm } from '../../daemon/contract/alarms.ts';
import { results } from '../../daemon/contract/result.ts';
import type { Task } from '../../daemon/contract/tasks.ts';
import { until, untilSeen } from '../support/until.ts';
import { type ApiResponse, adminPassword, type HubProcess, startHub } from './hub-process.ts';
import { fileIn, killAll, publish, record, untilRecorded } from './live-media.ts';
import { RelayRig, type RigChannel } from './relay-rig.ts';
import { timeDivisor } from './scaled-timing.ts';

const disk = process.env.SIGNALBOX_TEST_DISK;
const asUser = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
const ownMounts = ['unshare', ...asUser, '--mount', '--'];
// More than the hub's threshold for low space, so that it starts without an alarm.
const mount = 'mount -t tmpfs -o size=128m none "$SIGNALBOX_TEST_DISK" && exec "$@"';
const inOwn = (folder: string, command: string[]) => ({
  command: [...ownMounts, 'sh', '-c', mount, 'sh', ...command],
  env: { ...process.env, SIGNALBOX_TEST_DISK: folder },
});

setDefaultTimeout(90_000);

if (disk === undefined) outside();
else inside(disk);

function outside(): void {
  const folder = mkdtempSync(join(tmpdir(), 'sb-disk-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const trial = inOwn(folder, ['true']);
  const canMount = Bun.spawnSync(trial.command, { env: trial.env }).success;
  test.skipIf(!canMount)(
    'on a separate file system, a hub remains useful while that is full',
    async () => {
      const { command, env } = inOwn(folder, [process.execPath, 'test', `./${import.meta.file}`]);
      const pipes = { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' } as const;
      const child = Bun.spawn(command, { cwd: import.meta.dir, env, ...pipes });
      const [out, text] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
      if ((await child.exited) !== 0) throw new Error(`${out}\n${text}`);
    },
    240_000,
  );
}

interface Health {
  readonly ready: boolean;
  readonly faults: readonly string[];
}

function inside(parent: string): void {
  const recordings = mkdtempSync(join(tmpdir(), 'sb-disk-recorded-'));
  const filler = join(parent, 'filler');
  const { noSpace, mismatch, notLoggedIn } = results;
  let hub: HubProcess;
  let studio: RigChannel;

  beforeAll(async () => {
    hub = await startHub({ timeDivisor, parent, program: [process.execPath, 'tests/fixtures/pens/hub.ts'] });
    await hub.login();
    studio = await new RelayRig(hub).addChannel();
    publish(studio.push.rtmp);
    await studio.untilLive();
  });
  afterAll(async () => {
    await killAll();
    rmSync(filler, { force: true });
    await hub.stop();
    rmSync(recordings, { recursive: true, force: true });
  });

  const health = () => hub.api<Health>('/api/health');
  const addChannel = (name: string) => hub.answer('/api/channel/add', { name, config: { enable: false } });
  const alarms = async (active: 0 | 1) =>
    (await hub.api<{ list: Alarm[] }>(`/api/alarm/list?active=${active}`)).list.filter(
      ({ kind }) => kind === 'no-space',
    );

  /** Writes until no page is left, even if the hub releases some in between. */
  function fillDisk(): void {
    const file = openSync(filler, 'a');
    for (const size of [1 << 20, 4096]) {
      const part = Buffer.alloc(size);
      try {
        while (writeSync(file, part) === size);
      } catch (error) {
        expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
      }
    }
    closeSync(file);
  }

  const untilFull = () =>
    until(
      async () => {
        fillDisk();
        return (await health()).faults.includes('noSpace');
      },
      20_000,
      'the hub knows that its folder is full',
    );

  /** A session of another browser. */
  function stranger() {
    let cookie = '';
    const answer = async <T>(path: string, body?: object): Promise<T & ApiResponse> => {
      const response = await fetch(`${hub.url}${path}`, {
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
        headers: { cookie, ...(body && { 'content-type': 'application/json' }) },
      });
      return (await response.json()) as T & ApiResponse;
    };
    return {
      answer,
      async signIn(password: string): Promise<number> {
        const { result, token } = await answer<{ token?: string }>('/api/login', { id: 'Admin', password });
        if (token !== undefined) cookie = `mwcloud-sid=${token}`;
        return result;
      },
    };
  }

  test('sign-in works, other writes report the cause, an alarm is raised, and streams continue', async () => {
    expect(await health()).toMatchObject({ ready: true, faults: [] });
    expect(await alarms(1)).toEqual([]);
    const file = fileIn(recordings, 'before.mkv');
    const player = record(studio.play.rtmp, file);
    await untilRecorded(file, 100_000, 20_000);
    await untilFull();
    expect(await health()).toMatchObject({ ready: true });

    const refused = await addChannel('No room');
    expect(refused).toMatchObject({ result: noSpace.code });
    expect(refused.message).toContain('the data folder is full');

    const browser = stranger();
    expect(await browser.signIn('a wrong password')).toBe(mismatch.code);
    expect(await browser.signIn(adminPassword)).toBe(0);
    const { list } = await browser.answer<{ list: { current: boolean }[] }>('/api/session/list');
    expect(list.filter(({ current }) => current)).toHaveLength(1);
    expect((await browser.answer('/api/logout', {})).result).toBe(0);
    expect((await browser.answer('/api/session')).result).toBe(notLoggedIn.code);
    expect(hub.logs()).toContain('signed in without an entry in the operation log');

    const [raised] = await untilSeen(
      () => alarms(1),
      (found) => found[0]?.peak === 0,
      30_000,
      'the alarm is raised',
    );
    expect(raised).toMatchObject({ channel: 0, cleared: 0 });

    const stays = stranger();
    expect(await stays.signIn(adminPassword)).toBe(0);
    const engine = await hub.enginePid();
    process.kill(engine, 'SIGKILL');
    await until(async () => (await hub.enginePid()) !== engine, 20_000, 'another engine runs without a free page');
    await player.exited;
    publish(studio.push.rtmp);
    await studio.untilLive(20_000);

    rmSync(filler);
    await until(async () => (await health()).faults.length === 0, 20_000, 'the hub knows that there is space');
    expect((await addChannel('Room')).result).toBe(0);
    await until(async () => (await alarms(1)).length === 0, 30_000, 'the alarm is over');
    expect(await alarms(0)).toMatchObject([{ id: raised?.id, raised: raised?.raised, peak: 0 }]);
    expect((await stays.answer('/api/session')).result).toBe(0);
  });

  test('an upload that finds no room stops, keeps what has arrived, and continues when there is room', async () => {
    const bytes = randomFillSync(Buffer.allocUnsafe(8 << 20));
    const sha256 = new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
    const begin = () => hub.answer<{ task: number }>('/api/pen/draw', { name: 'a.bin', size: bytes.length, sha256 });
    const { task } = await begin();
    const query = () => hub.api<Task>(`/api/task/query?id=${task}`);
    const send = async (from: number) => {
      const response = await fetch(`${hub.url}/api/upload/data?task=${task}`, {
        method: 'PUT',
        headers: { ...hub.headers(), 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` },
        body: bytes.subarray(from),
      });
      return [response.status, ((await response.json()) as ApiResponse).result];
    };
    await untilFull();
    expect(await send(0)).toEqual([507, noSpace.code]);
    expect((await begin()).result).toBe(noSpace.code);
    const { state, done } = await query();
    expect([state, done < bytes.length]).toEqual(['running', true]);

    rmSync(filler);
    expect(await send(done)).toEqual([200, 0]);
    await untilSeen(query, (seen) => seen.state === 'done', 20_000, 'the file is used');
    await until(async () => (await health()).faults.length === 0, 20_000, 'the hub knows that there is space');
  });

  test('a hub that is started with a full folder reports the cause and the remedy, and streams continue', async () => {
    const file = fileIn(recordings, 'restart.mkv');
    const player = record(studio.play.rtmp, file);
    await untilRecorded(file, 100_000, 20_000);
    const engine = await hub.enginePid();
    await untilFull();
    await hub.kill('SIGKILL');
    fillDisk();
    const cause = /ended with 3[\s\S]*no space is left on the data folder .*\(ENOSPC\); make room on its disk/;
    await expect(hub.restart()).rejects.toThrow(cause);
    rmSync(filler);
    await hub.restart();
    await hub.login();
    await studio.untilLive();
    expect(await hub.enginePid()).toBe(engine);
    await untilRecorded(file, 300_000, 20_000);
    await player.stop();
    expect((await addChannel('After the restart')).result).toBe(0);
  });
}
