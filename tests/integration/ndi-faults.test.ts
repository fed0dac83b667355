/** Faults of the NDI library, and files that are none: the hub survives, and the routes come back. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildSimulator } from '../sim/demo-ndi.ts';
import { buildDouble } from '../sim/ndi/build-double.ts';
import {
  avahiSocket,
  type DoubleFault,
  desiredOf,
  openRouterRig,
  output,
  type RigOptions,
  type RouterRig,
} from '../sim/ndi/router-rig.ts';
import { until, untilSeen } from '../support/until.ts';

setDefaultTimeout(60_000);

const folder = mkdtempSync(join(tmpdir(), 'sb-ndi-faults-'));
let library = '';
beforeAll(async () => {
  library = await buildDouble(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const rigs: RouterRig[] = [];
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.end();
});
async function open(options: Partial<RigOptions> = {}): Promise<RouterRig> {
  const rig = await openRouterRig({ library, ...options });
  rigs.push(rig);
  return rig;
}

const routed = [output(1, 'A (1)'), output(2, 'B (1)'), output(3)];
const isRestored = (rig: RouterRig) => {
  const applied = rig.router.outputs().map((each) => each.applied);
  return rig.router.runtime().state === 'running' && Bun.deepEquals(applied, ['A (1)', 'B (1)', null]);
};

// One hub for all of them: it survives each. Otherwise their number alone would count as failing.
const lasting = Promise.withResolvers<RouterRig>();
beforeAll(async () => {
  const rig = await openRouterRig({ library, timing: { goodRunMs: 1, startMs: 2000 } });
  lasting.resolve(rig);
  rig.router.configure(desiredOf(routed));
  await until(() => isRestored(rig));
});
afterAll(async () => (await lasting.promise).end());

test.each<DoubleFault>([
  'routing_change:crash',
  'routing_change:abort',
  'routing_change:exit',
  'routing_change:thread',
  'routing_change:hang',
  'find_wait_for_sources:crash',
  'find_wait_for_sources:hang',
  'find_get_current_sources:abort',
  'find_get_current_sources:hang',
  'routing_get_no_connections:abort',
])('after %s the process is replaced, and all routes are back', async (fault) => {
  const rig = await lasting.promise;
  rig.fault(fault);
  // The change is refused, because the process ends with it, and applies at the start of the next one.
  if (fault.startsWith('routing_change')) {
    const change = rig.router.route([{ id: 3, source: 'C (1)' }]);
    await expect(change).rejects.toMatchObject({ result: 'noResponse' });
    await rig.outputs(([, , third]) => third?.applied === 'C (1)');
    await rig.router.route([{ id: 3, source: null }]);
  } else {
    // The list of sources is read after it has changed.
    if (fault.startsWith('find_get')) await (await rig.peer()).send(fault.replace(':', ' '), 70);
    await until(() => rig.hasFaultHappened());
    await rig.away();
    await until(() => isRestored(rig));
  }
});

test('a process that stops answering is killed, and all routes are back', async () => {
  const rig = await lasting.promise;
  const pid = rig.pid();
  rig.kill('SIGSTOP');
  await rig.away();
  await until(() => isRestored(rig));
  expect(rig.pid()).not.toBe(pid);
});

test.each<DoubleFault>(['routing_clear:crash', 'routing_clear:hang', 'routing_destroy:abort', 'routing_destroy:hang'])(
  'a process that fails with %s while an output is removed is replaced, without this output',
  async (fault) => {
    const rig = await lasting.promise;
    rig.fault(fault);
    rig.router.configure(desiredOf(routed.slice(0, 2)));
    await until(() => rig.hasFaultHappened());
    await rig.away();
    await rig.outputs((outputs) => outputs.length === 2 && outputs.every(({ applied }) => applied !== null));
    rig.router.configure(desiredOf(routed));
    await until(() => isRestored(rig));
  },
);

test.each<DoubleFault>([
  'initialize:crash',
  'initialize:hang',
  'find_create:null',
  'routing_create:crash',
  'routing_create:hang',
  'routing_change:abort:2',
])('a new process that fails with %s while it restores the routes is replaced, too', async (fault) => {
  const rig = await lasting.promise;
  rig.fault(fault);
  rig.kill();
  await until(() => rig.hasFaultHappened());
  await until(() => isRestored(rig));
});

/** Restarts without a pause. */
const hasty = { firstBackoffMs: 1, lastBackoffMs: 1 };

test('a process that keeps ending is not started again until a user retries', async () => {
  const rig = await open({ environment: { NDI_DOUBLE_FAULT: 'routing_create:abort' }, timing: hasty });
  rig.router.configure(desiredOf(routed));
  const failed = await untilSeen(
    () => rig.router.runtime(),
    ({ state }) => state === 'failed',
  );
  expect(failed).toEqual({ state: 'failed', reason: 'ended by SIGABRT', remedy: 'retry' });
  rig.router.retry();
  expect(rig.router.runtime()).toMatchObject({ state: 'starting' });
});

test('a runtime that kills each process before it is loaded is unusable', async () => {
  const rig = await open({ environment: { NDI_DOUBLE_FAULT: 'initialize:crash' }, timing: hasty });
  rig.router.configure(desiredOf([]));
  const state = await untilSeen(
    () => rig.router.runtime(),
    (seen) => seen.state === 'unusable',
  );
  expect(state).toMatchObject({ fault: 'crashed', detail: 'ended by SIGSEGV', remedy: 'replaceRuntime' });
});

test('a processor that the runtime does not support is reported, and not tried again', async () => {
  const rig = await open({ environment: { NDI_DOUBLE_FAULT: 'initialize:null' } });
  rig.router.configure(desiredOf([]));
  await untilSeen(
    () => rig.router.runtime(),
    (state) => state.state === 'unusable' && state.fault === 'processorRefused',
  );
});

async function unusable(path: string) {
  const rig = await open({ library: path });
  rig.router.configure(desiredOf([]));
  return untilSeen(
    () => rig.router.runtime(),
    ({ state }) => state === 'unusable',
  );
}

function newFolder(name: string): string {
  const made = join(folder, name);
  mkdirSync(made);
  return made;
}

test('a library without a function that routing needs is too old, and the function is named', async () => {
  const path = await buildDouble(newFolder('old'), ['WITHOUT_VERSION']);
  expect(await unusable(path)).toMatchObject({ fault: 'tooOld', detail: 'NDIlib_version', remedy: 'replaceRuntime' });
});

test('a library that needs another one is reported with the name of that', async () => {
  const made = newFolder('needy');
  const needed = join(made, 'libnot-installed.so.3');
  const stub = ['gcc', '-shared', '-o', needed, '-Wl,-soname,libnot-installed.so.3', '-x', 'c', '/dev/null'];
  expect(Bun.spawnSync(stub).success).toBe(true);
  const path = await buildDouble(made, [], ['-Wl,--no-as-needed', needed]);
  rmSync(needed);
  expect(await unusable(path)).toMatchObject({ fault: 'missingDependency', detail: 'libnot-installed.so.3' });
});

test('a truncated library is refused before any process is started', async () => {
  const path = join(newFolder('short'), 'libndi.so.6');
  copyFileSync(library, path);
  truncateSync(path, 4096);
  const rig = await open({ library: path });
  rig.router.configure(desiredOf([]));
  expect(rig.router.runtime()).toMatchObject({ state: 'unusable', fault: 'truncated', path });
  expect(rig.lines).toEqual([]);
});

test('a runtime that is installed later is found by a retry', async () => {
  const later = newFolder('later');
  const rig = await open({ library: join(later, 'libndi.so.6') });
  rig.router.configure(desiredOf(routed));
  expect(rig.router.runtime()).toMatchObject({ state: 'missing', remedy: 'installRuntime' });
  copyFileSync(library, join(later, 'libndi.so.6'));
  rig.router.retry();
  await until(() => isRestored(rig));
});

test('a changed base name restarts the process; changed outputs do not', async () => {
  const rig = await open();
  rig.router.configure(desiredOf([output(1)]));
  await rig.outputs(([one]) => one?.fullName === 'SBTEST (Out 1)');
  rig.router.configure(desiredOf([output(1), output(2)]));
  await rig.outputs(([, two]) => two?.fullName === 'SBTEST (Out 2)');
  const starts = () => rig.lines.filter((line) => line.includes('connected pid=')).length;
  expect(starts()).toBe(1);
  rig.router.configure(desiredOf([output(1), output(2)], { baseName: 'OTHER' }));
  await rig.outputs(([one]) => one?.fullName === 'OTHER (Out 1)');
  expect(starts()).toBe(2);
});

test('settings that change while the process starts take effect, and so do routes at the moment it runs', async () => {
  const rig = await open();
  let isRouted = false;
  rig.router.onChange(() => {
    if (isRouted || rig.router.runtime().state !== 'running') return;
    isRouted = true;
    void rig.router.route([{ id: 1, source: 'A (1)' }]);
  });
  rig.router.configure(desiredOf([output(1)]));
  rig.router.configure(desiredOf([output(1)], { baseName: 'OTHER' }));
  await rig.outputs(([one]) => one?.fullName === 'OTHER (Out 1)' && one.applied === 'A (1)');
  rig.router.retry();
  expect(rig.router.outputs()).toEqual([{ id: 1, fullName: '', applied: null, receivers: 0 }]);
  await rig.outputs(([one]) => one?.applied === 'A (1)');
});

test('without avahi-daemon the discovery is limited, until it runs and sources appear', async () => {
  const rig = await open();
  rig.router.configure(desiredOf([output(1)]));
  expect(await rig.running()).toMatchObject({ limit: 'noMdns', remedy: 'startAvahi' });
  await rig.sourceNames((names) => names.length === 1);
  writeFileSync(avahiSocket(rig.dataDir), '');
  rig.router.configure(desiredOf([output(1), output(2)]));
  await rig.sourceNames((names) => names.length === 2);
  expect(rig.router.runtime()).not.toHaveProperty('limit');
});

test('a source whose name has a line break is not listed', async () => {
  const rig = await open();
  rig.router.configure(desiredOf([]));
  await rig.running();
  const peer = await rig.peer();
  for (const name of ['One\nTwo', 'Three']) expect(await peer.send(name, 70)).toBe(true);
  const names = await rig.sourceNames((seen) => seen.some((each) => each.endsWith('(Three)')));
  expect(names).toHaveLength(1);
});

test('the simulator of the demo identifies itself, and has sources with picture and sound', async () => {
  const rig = await open({ library: await buildSimulator(join(folder, 'simulator')) });
  rig.router.configure(desiredOf([output(1)]));
  expect(await rig.running()).toMatchObject({ version: '6.3.99.0', limit: 'simulator' });
  await rig.sourceNames((names) => names.includes('STUDIO-A (Camera 1)') && names.length > 12);
  const peer = await rig.peer();
  await peer.receive('STUDIO-A (Camera 1)');
  await untilSeen(
    () => peer.formats('STUDIO-A (Camera 1)'),
    ({ video, audio }) => video?.width === 640 && audio?.channels === 2 && Math.abs(audio.peak - 0.1) < 0.01,
  );
});

test('as the product starts it, the process routes with its few rights', async () => {
  const rig = await open({ isConfined: true, environment: { NDI_DOUBLE_SOURCES: '3' } });
  rig.router.configure(desiredOf([output(1, 'SIM (Cam 2)')]));
  expect(await rig.running()).toMatchObject({ path: join(dirname(library), 'libndi.so.6'), version: '6.3.99.0' });
  await rig.sourceNames((names) => names.length === 4);
  await rig.outputs(([one]) => one?.applied === 'SIM (Cam 2)');
  rig.kill();
  await rig.away();
  await rig.outputs(([one]) => one?.applied === 'SIM (Cam 2)');
});
