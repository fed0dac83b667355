import { afterEach, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { untilSeen } from '../../tests/support/until.ts';
import { createLog } from '../lib/log.ts';
import { ndiHome } from './child-command.ts';
import { libraryFile } from './elf-for-test.ts';
import { ndiProtocol } from './messages.ts';
import type { NdiDesired } from './port.ts';
import { NdiRouter } from './router.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/**
 * In the place of the process that loads the library. Its sources are the base name in its configuration file, and those
 * that its outputs should have.
 */
const child = `
  const { ndi } = await Bun.file(process.env.NDI_CONFIG_DIR + '/ndi-config.v1.json').json();
  process.send({ type: 'hello', protocol: ${ndiProtocol}, version: '6.3', isSimulator: false, groups: [] });
  process.on('message', ({ type, outputs }) => {
    if (type === 'ping') process.send({ type: 'pong' });
    // It does not answer an \`apply\`.
    if (type !== 'configure') return;
    process.send({ type: 'sources', names: [ndi.machinename, ...outputs.flatMap(({ source }) => source ?? [])] });
  });
`;

const desiredOf = (baseName: string): NdiDesired => ({
  ...{ baseName, groups: { send: '', receive: '' }, discovery: { servers: '', extraIps: '' }, outputs: [] },
});

function open() {
  const dataDir = mkdtempSync(join(tmpdir(), 'sb-router-'));
  writeFileSync(join(dataDir, 'libndi.so.6'), libraryFile());
  const router = new NdiRouter({
    ...{ dataDir, log: createLog('error', () => undefined) },
    timing: { firstBackoffMs: 1, lastBackoffMs: 1 },
    search: { env: { NDI_RUNTIME_DIR_V6: dataDir }, folders: [] },
    command: () => [process.execPath, '-e', child],
  });
  ends.push(async () => {
    await router.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const shows = (name: string) =>
    untilSeen(
      () => router.sources().map((source) => source.name),
      (names) => names.includes(name),
    );
  return { router, shows, home: ndiHome(dataDir, 'ndi-router') };
}

test('settings whose file cannot be written are not in effect, and take effect with the next attempt', async () => {
  const { router, shows, home } = open();
  router.configure(desiredOf('FIRST'));
  await shows('FIRST');
  // In the place of the new file, before it gets its name.
  const obstacle = join(home, 'ndi-config.v1.json.new');
  mkdirSync(obstacle);
  router.configure(desiredOf('SECOND'));
  const failed = await untilSeen(
    () => router.runtime(),
    ({ state }) => state === 'failed',
  );
  expect(failed).toMatchObject({ reason: expect.stringContaining('its configuration cannot be written') });
  expect(router.sources()).toEqual([]);
  rmdirSync(obstacle);
  router.retry();
  await shows('SECOND');
});

test('the file is not written again for a process with the same settings', async () => {
  const { router, shows, home } = open();
  router.configure(desiredOf('FIRST'));
  await shows('FIRST');
  mkdirSync(join(home, 'ndi-config.v1.json.new'));
  router.retry();
  await shows('FIRST');
});

test('a process that is too slow for so many changes still gets the newest routes', async () => {
  const { router, shows } = open();
  const output = { id: 1, name: 'Out', group: '', source: null };
  router.configure({ ...desiredOf('FIRST'), outputs: [output] });
  await shows('FIRST');
  const waiting = Array.from({ length: 64 }, (_, at) => router.route([{ id: 1, source: `A (${at})` }]));
  await expect(router.route([{ id: 1, source: 'A (last)' }])).rejects.toMatchObject({ result: 'noResponse' });
  await shows('A (last)');
  const over = Promise.allSettled(waiting);
  await router.close();
  expect((await over).map(({ status }) => status)).toEqual(waiting.map(() => 'rejected'));
});
