import { afterEach, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { untilSeen } from '../../tests/support/until.ts';
import { createLog } from '../lib/log.ts';
import { shippedTiming } from '../shipped-timing.ts';
import { maxReceivers, ndiProtocol } from './messages.ts';
import { NdiThumbnails, type UsableRuntime } from './thumbnails.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/**
 * In the place of the process that loads the library. The picture of a source is a JPEG marker, the process id, and the
 * names that the process receives; `crash` ends it, and `mute` has no picture.
 */
const child = `
  console.error('child pid ' + process.pid);
  process.send({ type: 'hello', protocol: ${ndiProtocol}, version: '6.3', isSimulator: false, groups: GROUPS });
  process.on('message', (message) => {
    if (message.type === 'ping') return process.send({ type: 'pong' });
    const text = Buffer.from(process.pid + ' ' + message.names.join(','));
    const jpeg = Buffer.concat([Buffer.from([0xff, 0xd8]), text]).toString('base64');
    for (const name of message.names) {
      if (name === 'crash') process.exit(1);
      if (name !== 'mute') process.send({ type: 'picture', name, jpeg });
    }
  });
`;

const settings = { baseName: 'HUB', groups: { send: '', receive: '' }, discovery: { servers: '', extraIps: '' } };
const fast = {
  lingerMs: 200,
  idleMs: 400,
  tickMs: 5,
  turnMs: 20,
  emptyTurnMs: 40,
  silenceCheckMs: 50,
  firstBackoffMs: 10,
  lastBackoffMs: 20,
};

function open({ groups = ['receive'] } = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'sb-thumbs-'));
  const lines: string[] = [];
  const libraries: string[] = [];
  const state: { runtime: UsableRuntime | undefined } = { runtime: { path: '/lib/a', settings } };
  const thumbnails = new NdiThumbnails({
    ...{ dataDir, log: createLog('debug', (line) => void lines.push(line)) },
    timing: { ...shippedTiming.ndi, ...shippedTiming.ndiThumbnails, ...fast },
    command(_role, library) {
      libraries.push(library);
      return [process.execPath, '-e', child.replace('GROUPS', JSON.stringify(groups))];
    },
    runtime: () => state.runtime,
  });
  ends.push(async () => {
    await thumbnails.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const look = (names: readonly string[]) =>
    thumbnails.look(names, 0).map(({ name, number, jpeg }) => {
      const [pid = '', received = ''] = Buffer.from(jpeg).toString('latin1', 2).split(' ');
      return { name, number, pid: Number(pid), received: received.split(',') };
    });
  const pids = () => lines.flatMap((line) => /child pid (\d+)/.exec(line)?.[1] ?? []);
  /** Whether there was a process, and the newest has ended. */
  const hasEnded = () => {
    const pid = pids().at(-1);
    return pid !== undefined && !existsSync(`/proc/${pid}`);
  };
  return { thumbnails, look, state, libraries, pids, hasEnded };
}

test('each viewed source has a picture, and only newer pictures are returned', async () => {
  const { look, thumbnails } = open();
  const pictures = await untilSeen(
    () => look(['a', 'b']),
    (seen) => seen.length === 2,
  );
  expect(pictures.map(({ name }) => name)).toEqual(['a', 'b']);
  const last = Math.max(...pictures.map(({ number }) => number));
  expect(thumbnails.look(['a', 'b'], last)).toEqual([]);
});

test('more sources than can be received at a time take turns, even if one of them sends no picture', async () => {
  const { look } = open();
  const names = ['mute', ...Array.from({ length: 2 * maxReceivers + 1 }, (_, at) => `source ${at}`)];
  const pictures = await untilSeen(
    () => look(names),
    (seen) => seen.length === names.length - 1,
  );
  for (const { received } of pictures) expect(received.length).toBeLessThanOrEqual(maxReceivers);
  expect(new Set(pictures.map(({ pid }) => pid)).size).toBe(1);
});

test('without viewers nothing is received, then the process ends; the next viewer starts another one', async () => {
  const { look, pids, hasEnded } = open();
  await untilSeen(
    () => look(['a']),
    (seen) => seen.length === 1,
  );
  await untilSeen(hasEnded, (ended) => ended);
  expect(look(['a'])).toEqual([]);
  await untilSeen(
    () => look(['a']),
    (seen) => seen.length === 1,
  );
  expect(pids()).toHaveLength(2);
});

test('a process that ends is replaced, and while there are viewers, so is one that ends each time', async () => {
  const { look, pids } = open();
  const [first] = await untilSeen(
    () => look(['a']),
    (seen) => seen.length === 1,
  );
  process.kill(first?.pid ?? 0, 'SIGKILL');
  await untilSeen(
    () => look(['a'])[0]?.pid,
    (pid) => pid !== undefined && pid !== first?.pid,
  );
  await untilSeen(
    () => {
      look(['a', 'crash']);
      return pids().length;
    },
    (count) => count >= 7,
  );
  // The one source with which it ends is no longer viewed.
  const last = look(['a'])[0]?.number ?? 0;
  await untilSeen(
    () => look(['a'])[0]?.number ?? 0,
    (number) => number > last,
  );
});

test('a runtime that cannot receive is not started again until it is replaced', async () => {
  const { look, libraries, hasEnded, state } = open({ groups: ['send'] });
  const looksOn = (fits: () => boolean) =>
    untilSeen(
      () => {
        look(['a']);
        return fits();
      },
      (isTrue) => isTrue,
    );
  await looksOn(hasEnded);
  state.runtime = { path: '/lib/b', settings };
  await looksOn(() => libraries.includes('/lib/b'));
  expect(libraries).toEqual(['/lib/a', '/lib/b']);
});

test('without a runtime there are no pictures, and no process', async () => {
  const { look, libraries, state } = open();
  state.runtime = undefined;
  expect(look(['a'])).toEqual([]);
  state.runtime = { path: '/lib/a', settings };
  await untilSeen(
    () => look(['a']),
    (seen) => seen.length === 1,
  );
  expect(libraries).toEqual(['/lib/a']);
});
