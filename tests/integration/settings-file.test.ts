/** The settings file between real hubs: everything moves, no secret shows, and a kill leaves before or after. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { SectionPreview } from '../../daemon/contract/settings-file.ts';
import { mainProgram } from '../support/main-program.ts';
import { until } from '../support/until.ts';
import { invitationCode, secrets, writeEverything } from './every-write.ts';
import { stopFarEnds, webServer } from './fake-peers.ts';
import { adminPassword, type HubProcess, startHub } from './hub-process.ts';

setDefaultTimeout(120_000);

// biome-ignore lint/suspicious/noExplicitAny: tests look into documents of every shape
type Json = any;

const passphrase = 'open sesame';
const env = { SIGNALBOX_FEATURES: 'ndi-router,devices' };
let first: HubProcess;
let second: HubProcess;
let file: Json;
/** With the ports of the other hub: both run on this machine. */
let moved: Json;

beforeAll(async () => {
  [first, second] = await Promise.all([startHub({ env }), startHub({ env })]);
  const { port } = webServer(() => new Response('taken'));
  await writeEverything(first, port ?? 0);
  ({ file } = await first.api<Json>('/api/settings/export', { passphrase }));
  await second.login();
  moved = withPorts(file, second.ports);
});
afterAll(async () => {
  await Promise.all([first.stop(), second.stop()]);
  stopFarEnds();
});

function withPorts({ checksum: _, ...document }: Json, { rtmp, srt }: HubProcess['ports']): Json {
  const edited = structuredClone(document);
  for (const { name, value } of edited.sections.settings)
    if (name === 'rtmp' || name === 'srt') value.port = name === 'rtmp' ? rtmp : srt;
  return edited;
}

const load = (hub: HubProcess, document: Json, more: object = {}) =>
  hub.answer<Json>('/api/settings/import', { file: JSON.stringify(document), passphrase, ...more });

/** Resolves when a hub that restarts has started again. */
async function untilRestarted(hub: HubProcess, upTime: number): Promise<void> {
  const isNew = async () => {
    const { status } = await hub.api<Json>('/api/system/status').catch(() => hub.login().then(() => ({ status: {} })));
    return (status?.system?.info?.['up-time'] ?? Number.POSITIVE_INFINITY) < upTime;
  };
  await until(() => isNew().catch(() => false), 30_000, 'the hub has started again');
}

test('S5: of every secret of a hub, none is in its file', async () => {
  const { file: without } = await first.api<Json>('/api/settings/export', {});
  const text = JSON.stringify([file, without]);
  for (const [name, secret] of Object.entries(secrets)) {
    const forms = [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64').replace(/=+$/, '')];
    expect([name, forms.filter((form) => text.includes(form))]).toEqual([name, []]);
  }
  expect(text).not.toContain(`"${invitationCode}"`);
});

test('another hub has the same settings after the import, at its own address, and its engine continues', async () => {
  const engine = await second.enginePid();
  const { pid } = second;
  await delay(1100);
  const { status } = await second.api<Json>('/api/system/status');
  expect(await load(second, file)).toMatchObject({ result: 1007 });
  expect(await load(second, moved)).toMatchObject({ result: 0, restarts: true });
  await untilRestarted(second, status.system.info['up-time']);
  expect([second.pid, await second.enginePid()]).toEqual([pid, engine]);
  const { sections } = await load(second, moved, { preview: true });
  const different = (sections as SectionPreview[]).filter(
    (section) => section['added-num'] + section['changed-num'] + section['removed-num'] > 0,
  );
  expect(different).toEqual([]);
  const { file: copy } = await second.api<Json>('/api/settings/export', { passphrase });
  expect(copy.sections).toEqual(moved.sections);
});

test('signalbox apply shows what differs, applies it, and finds nothing to do the second time', async () => {
  const { token } = await second.api<{ token: string }>('/api/token/add', { name: 'apply', password: adminPassword });
  const { checksum: _, secrets: __, ...bare } = file;
  const servers = [{ name: 'By file', config: { type: 2, url: '192.0.2.1', port: 7000, 'main-stream': true } }];
  const path = join(second.dataDir, 'provision.json');
  writeFileSync(path, JSON.stringify({ ...bare, sections: { servers } }));
  const apply = async (...args: string[]) => {
    const env = { PATH: process.env.PATH ?? '', SIGNALBOX_DATA_DIR: second.dataDir, SIGNALBOX_TOKEN: token };
    const command = [process.execPath, mainProgram, 'apply', path, ...args];
    const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'pipe', env });
    return { output: await new Response(child.stdout).text(), code: await child.exited };
  };
  const preview = await apply('--preview');
  expect(preview.output).toContain('servers: + By file');
  expect(preview.code).toBe(10);
  expect((await second.api<{ list: unknown[] }>('/api/server/list')).list).not.toContainEqual({ name: 'By file' });
  expect((await apply()).code).toBe(0);
  expect((await second.api<{ list: Json[] }>('/api/server/list')).list.map(({ name }) => name)).toEqual(['By file']);
  expect(await apply()).toEqual({ output: 'the hub has these settings\n', code: 0 });
  writeFileSync(path, '{}');
  expect((await apply()).code).toBe(3);
});

test('S6: a hub that is killed at any moment of an import has the settings of before or after', async () => {
  const { checksum: _, secrets: __, ...bare } = file;
  const names = Array.from({ length: 200 }, (_name, n) => `Bulk ${n}`);
  const inputs = names.map((name, n) => ({ name, config: { url: `http://192.0.2.1:${5000 + n}/live.ts` } }));
  const servers = Array.from({ length: 10 }, (_name, n) => ({
    name: `Bulk ${n}`,
    config: { type: 2, url: '192.0.2.1', port: 7000 + n, 'main-stream': true },
  }));
  const sets = [
    { inputs, servers },
    { inputs: [], servers: [] },
  ];
  const counts = async () => {
    const [{ total }, { list }] = await Promise.all([
      second.api<{ total: number }>('/api/input/source/list'),
      second.api<{ list: unknown[] }>('/api/server/list'),
    ]);
    return `${total} ${list.length}`;
  };
  const seen = new Set<string>();
  for (const [at, killAfterMs] of [0, 30, 80, 200, 1500, 2200, 2600].entries()) {
    const sections = sets[at % 2];
    const answer = load(second, { ...bare, sections }).catch(() => undefined);
    await delay(killAfterMs);
    await second.kill('SIGKILL');
    await answer;
    await second.restart();
    const now = await counts();
    expect(['200 10', '0 0', `${file.sections.inputs.length} ${file.sections.servers.length}`]).toContain(now);
    seen.add(now);
  }
  expect(seen.size).toBeGreaterThan(1);
});
