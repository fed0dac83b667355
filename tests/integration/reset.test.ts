/** Reset of a real hub: what is left on the disk, and what happens when it is killed meanwhile. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../support/until.ts';
import { secrets, writeEverything } from './every-write.ts';
import { stopFarEnds, webServer } from './fake-peers.ts';
import { adminPassword, type HubProcess, startHub } from './hub-process.ts';

setDefaultTimeout(120_000);

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Json = any;

let hub: HubProcess;
beforeAll(async () => {
  hub = await startHub({
    env: { SIGNALBOX_FEATURES: 'ndi-router,devices', SIGNALBOX_ADMIN_PASSWORD: '' },
    timeDivisor: 20,
  });
  await setUp(adminPassword);
  const { port } = webServer(() => new Response('taken'));
  await writeEverything(hub, port ?? 0);
});
afterAll(async () => {
  await hub.stop();
  stopFarEnds();
});

const isSetUp = async (): Promise<boolean> => {
  const answer = await fetch(`${hub.url}/api/setup`).catch(() => undefined);
  return answer === undefined || !((await answer.json()) as Json).needed;
};
const setUp = async (password: string): Promise<Json> => {
  const headers = { 'content-type': 'application/json' };
  return (await fetch(`${hub.url}/api/setup`, { method: 'POST', body: JSON.stringify({ password }), headers })).json();
};

/** Names of the files of the data folder that contain a secret; sockets and the lock have no bytes. */
function filesWithSecrets(): string[] {
  const entries = readdirSync(hub.dataDir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => {
      const bytes = readFileSync(path, 'latin1');
      return Object.values(secrets).some((secret) => bytes.includes(secret));
    });
}

test('S7: after a reset that keeps nothing, no secret is on the disk, no session opens anything, and the hub waits for its first password', async () => {
  expect(filesWithSecrets()).not.toEqual([]);
  const { pid } = hub;
  const answer = await hub.api<Json>('/api/system/reset', { keep: [], force: true });
  expect(answer).toMatchObject({ ports: { http: 0, https: null } });
  expect(answer['setup-code']).toMatch(/^[2-9A-Z]{5}-[2-9A-Z]{5}$/);
  const { status } = await hub.api<Json>('/api/system/status');
  expect(status.system.status['status-code'] & 65_536).toBe(65_536);
  expect(await hub.answer('/api/reboot', {})).toMatchObject({ result: 43 });
  await until(async () => !(await isSetUp()), 30_000, 'the hub has no password any more');
  expect(hub.pid).toBe(pid);
  expect(await hub.answer('/api/channel/dashboard')).toMatchObject({ result: 35 });
  expect(await setUp(adminPassword)).toMatchObject({ result: 0 });
  // The cookie of before.
  expect(await hub.answer('/api/channel/dashboard')).toMatchObject({ result: 37 });
  expect(filesWithSecrets()).toEqual([]);
});

test('S6: a reset is completed by the next start, whenever the hub is killed', async () => {
  for (const killAfterMs of [0, 300, 1100, 1300]) {
    if (!(await isSetUp())) await setUp(adminPassword);
    await hub.login();
    await hub.api('/api/channel/add', { name: `Before ${killAfterMs}` });
    await hub.api('/api/system/reset', { keep: [] });
    await Bun.sleep(killAfterMs);
    await hub.kill('SIGKILL');
    await hub.restart();
    expect([killAfterMs, await isSetUp()]).toEqual([killAfterMs, false]);
    expect(readdirSync(hub.dataDir)).not.toContain('reset.json');
  }
});
