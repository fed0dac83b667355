/** What the NDI router has acknowledged outlives a hub that is killed; the next hub routes it with the runtime. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NdiInput, NdiOutput, NdiRouter, NdiSalvo, RouteResult } from '../../daemon/contract/ndi-router.ts';
import { buildDouble } from '../sim/ndi/build-double.ts';
import { untilSeen } from '../support/until.ts';
import { type HubProcess, startHub } from './hub-process.ts';

setDefaultTimeout(60_000);

let hub: HubProcess;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sb-ndi-kept-'));
  await buildDouble(folder);
  hub = await startHub({ env: { SIGNALBOX_FEATURES: 'ndi-router', NDI_RUNTIME_DIR_V6: folder } });
  await hub.login();
});
afterAll(async () => {
  await hub?.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Matrix {
  readonly router: NdiRouter;
  readonly inputs: readonly NdiInput[];
  readonly outputs: readonly NdiOutput[];
}
const get = () => hub.api<Matrix>('/api/ndi/router/get');
const isApplied = ({ outputs }: Matrix) => outputs.every(({ applied }) => applied);

test('routes, labels, locks and salvos are as they were acknowledged, and applied again without a call', async () => {
  await hub.api('/api/ndi/router/set', { 'base-name': 'STAGE', inputs: 8, outputs: 64, force: true });
  for (const name of ['A', 'B', 'C'])
    await hub.api('/api/ndi/router/input/set', { source: `CAM (${name})`, label: name });
  await untilSeen(get, isApplied);
  const routes = Array.from({ length: 64 }, (_, at) => ({ out: at + 1, in: (at % 3) + 1 }));
  const { results } = await hub.api<{ results: RouteResult[] }>('/api/ndi/router/route', { routes });
  expect(results.filter(({ result, applied }) => result === 'done' && applied)).toHaveLength(64);
  await hub.api('/api/ndi/salvo/capture', { name: 'Opening', outs: [1, 2, 3] });
  await hub.api('/api/ndi/router/lock', { out: [5, 6], locked: true });
  await hub.api('/api/ndi/router/output/set', { id: 7, label: 'Desk' });
  const before = await get();
  await hub.api('/api/ndi/router/route', { routes: [{ out: 64, in: null }] });
  await hub.kill('SIGKILL');
  await hub.restart();
  const after = await untilSeen(get, isApplied);
  const kept = ({ outputs }: Matrix) =>
    outputs.map(({ id, in: slot, label, lock, name }) => ({ id, slot, label, lock, name }));
  expect(kept(after).slice(0, 63)).toEqual(kept(before).slice(0, 63));
  expect(after.outputs[63]).toMatchObject({ in: null, 'applied-source': null, previous: 1 });
  expect(after.outputs[0]).toMatchObject({ 'applied-source': 'CAM (A)', 'full-name': 'STAGE (Out 1)' });
  expect(after.router['last-salvo']?.outputs).toHaveLength(64);
  const { list } = await hub.api<{ list: NdiSalvo[] }>('/api/ndi/salvo/list');
  expect(list).toMatchObject([{ name: 'Opening', routes: routes.slice(0, 3) }]);
});
