/**
 * The NDI router on the double of the library, and on a real runtime if SIGNALBOX_NDI_RUNTIME is its path. A real one
 * is visible on the network of this machine: run it in a namespace of its own (tests/sim/ndi/README.md).
 */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAudit } from '../../daemon/features/logs/audit.ts';
import { createNdiRouterService } from '../../daemon/features/ndi-router/service.ts';
import { createLog } from '../../daemon/lib/log.ts';
import { memoryDatabase } from '../../daemon/store/memory-database-for-test.ts';
import { buildDouble } from '../sim/ndi/build-double.ts';
import type { Peer } from '../sim/ndi/peer.ts';
import { desiredOf, openRouterRig, output, type RigOptions, type RouterRig } from '../sim/ndi/router-rig.ts';
import { untilSeen } from '../support/until.ts';

setDefaultTimeout(60_000);

const folder = mkdtempSync(join(tmpdir(), 'sb-ndi-double-'));
const real = process.env.SIGNALBOX_NDI_RUNTIME;
let double = '';
beforeAll(async () => {
  double = await buildDouble(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const rigs: RouterRig[] = [];
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.end();
});
async function open(options: RigOptions): Promise<RouterRig> {
  const rig = await openRouterRig(options);
  rigs.push(rig);
  return rig;
}

/** Brightness of pictures: far enough apart to survive a codec. */
const lumas = { black: 16, a: 70, b: 140, c: 210 } as const;
type Picture = keyof typeof lumas;

function pictureOf(luma: number): Picture {
  const byDistance = (Object.keys(lumas) as Picture[]).toSorted(
    (one, other) => Math.abs(lumas[one] - luma) - Math.abs(lumas[other] - luma),
  );
  return byDistance[0] ?? 'black';
}

/** The pictures that a receiver got since the last call, each once in a row. */
async function pictures(peer: Peer, from: string): Promise<Picture[]> {
  const seen = (await peer.seen(from)).map(pictureOf);
  return seen.filter((picture, at) => picture !== seen[at - 1]);
}

/** Collects the pictures of a receiver until the last one is `picture`. */
async function untilPicture(peer: Peer, from: string, picture: Picture): Promise<Picture[]> {
  const all: Picture[] = [];
  await untilSeen(
    async () => all.push(...(await pictures(peer, from))),
    () => all.at(-1) === picture,
  );
  return all;
}

const fullName = (names: readonly string[], name: string): string =>
  names.find((each) => each.endsWith(`(${name})`)) ?? '';

/** A peer that sends pictures a and b, and the full names of these sources. */
async function twoSources(rig: RouterRig) {
  const peer = await rig.peer();
  expect([await peer.send('A', lumas.a), await peer.send('B', lumas.b)]).toEqual([true, true]);
  const names = await rig.sourceNames((list) => fullName(list, 'A') !== '' && fullName(list, 'B') !== '');
  return { peer, a: fullName(names, 'A'), b: fullName(names, 'B') };
}

const libraries = ['double', ...(real ? ['real'] : [])] as const;
describe.each([...libraries])('on the %s runtime', (which) => {
  const library = () => (which === 'real' && real ? real : double);

  test('sources are listed once, own outputs marked, and those of other groups left out', async () => {
    const rig = await open({ library: library() });
    rig.router.configure(desiredOf([output(1, null, 'Out 1')]));
    const { peer, a } = await twoSources(rig);
    expect(await peer.send('Hidden', lumas.c, { groups: 'elsewhere' })).toBe(true);
    await rig.sourceNames((names) => names.includes('SBTEST (Out 1)'));
    const found = rig.router.sources();
    expect(found.filter(({ isOwn }) => isOwn).map(({ name }) => name)).toEqual(['SBTEST (Out 1)']);
    expect(found.filter(({ name }) => name === a)).toEqual([{ name: a, isOwn: false }]);
    expect(found.some(({ name }) => name.endsWith('(Hidden)'))).toBe(false);
    await peer.stop('A');
    await rig.sourceNames((names) => !names.includes(a));
  });

  test('a source that is discovered in two ways is listed once', async () => {
    const rig = await open({ library: library() });
    const discovery = { servers: '', extraIps: '127.0.0.1' };
    rig.router.configure(desiredOf([output(1)], { discovery }));
    const { a } = await twoSources(rig);
    expect(rig.router.sources().filter(({ name }) => name === a)).toHaveLength(1);
  });

  test('the names of sources stay intact while the runtime replaces its list of them', async () => {
    const rig = await open({ library: library() });
    const seen = new Set<string>();
    rig.router.onChange(() => {
      for (const { name } of rig.router.sources()) seen.add(name);
    });
    rig.router.configure(desiredOf([output(1)]));
    const { peer, a, b } = await twoSources(rig);
    const moving = ['C', 'D', 'E'].map((name) => ({ name, full: a.replace('(A)', `(${name})`) }));
    for (const { name, full } of moving) {
      expect(await peer.send(name, lumas.c)).toBe(true);
      await rig.sourceNames((names) => names.includes(full));
    }
    for (const { name, full } of moving) {
      await peer.stop(name);
      await rig.sourceNames((names) => !names.includes(full));
    }
    expect([...seen].toSorted()).toEqual(['SBTEST (Out 1)', a, b, ...moving.map(({ full }) => full)].toSorted());
  });

  test('a receiver of an output follows its routes, and gets a black frame when it is cleared', async () => {
    const rig = await open({ library: library() });
    rig.router.configure(desiredOf([output(1)]));
    const { peer, a, b } = await twoSources(rig);
    expect(await rig.router.route([{ id: 1, source: a }])).toEqual([{ id: 1, result: 'applied' }]);
    await peer.receive('SBTEST (Out 1)');
    await untilPicture(peer, 'SBTEST (Out 1)', 'a');
    await rig.outputs(([first]) => first?.applied === a && first.receivers === 1);
    await rig.router.route([{ id: 1, source: b }]);
    expect(await untilPicture(peer, 'SBTEST (Out 1)', 'b')).not.toContain('black');
    await rig.router.route([{ id: 1, source: null }]);
    await untilPicture(peer, 'SBTEST (Out 1)', 'black');
    expect(rig.router.outputs()).toMatchObject([{ id: 1, applied: null }]);
  });

  test('a source that appears after it was routed is shown, also through another output', async () => {
    const rig = await open({ library: library() });
    const peer = await rig.peer();
    await peer.send('A', lumas.a);
    rig.router.configure(desiredOf([output(1), output(2, 'SBTEST (Out 1)')]));
    const names = await rig.sourceNames((list) => fullName(list, 'A') !== '');
    const late = fullName(names, 'A').replace('(A)', '(Late)');
    await rig.router.route([{ id: 1, source: late }]);
    await peer.receive('SBTEST (Out 2)');
    await peer.send('Late', lumas.c);
    await untilPicture(peer, 'SBTEST (Out 2)', 'c');
  });

  test('routes to itself and in a circle are accepted and show nothing', async () => {
    const rig = await open({ library: library() });
    rig.router.configure(
      desiredOf([output(1, 'SBTEST (Out 1)'), output(2, 'SBTEST (Out 3)'), output(3, 'SBTEST (Out 2)')]),
    );
    const states = await rig.outputs((outputs) => outputs.every(({ applied }) => applied !== null));
    expect(states.map(({ fault }) => fault)).toEqual([undefined, undefined, undefined]);
  });

  test('names appear as the runtime changes them; an output whose name is taken waits until it is free', async () => {
    const rig = await open({ library: library() });
    rig.router.configure(desiredOf([output(1, null, 'A/B: C')], { baseName: 'sb-(test)' }));
    const [first] = await rig.outputs(([one]) => one?.fullName !== '');
    expect(first?.fullName).toBe('SB-TEST (A B  C)');
    rig.router.configure(desiredOf([output(1, null, 'Same'), output(2, null, 'Same')], { baseName: 'sb-(test)' }));
    const both = await rig.outputs(([, second]) => second?.fault !== undefined);
    expect(both).toMatchObject([{ fullName: 'SB-TEST (Same)' }, { fullName: '', fault: 'nameTaken' }]);
    const change = { id: 2, source: 'X (1)' };
    expect(await rig.router.route([change])).toEqual([{ id: 2, result: 'nameTaken' }]);
    rig.router.configure(desiredOf([output(2, 'X (1)', 'Same')], { baseName: 'sb-(test)' }));
    const [freed] = await rig.outputs(([one]) => one?.fault === undefined && one?.applied === 'X (1)');
    expect(freed?.fullName).toBe('SB-TEST (Same)');
  });

  test('an output that is removed shows black to its receivers, and its name is free again', async () => {
    const rig = await open({ library: library() });
    rig.router.configure(desiredOf([output(1)]));
    const { peer, a } = await twoSources(rig);
    rig.router.configure(desiredOf([output(1, a), output(2, a)]));
    await peer.receive('SBTEST (Out 1)');
    await untilPicture(peer, 'SBTEST (Out 1)', 'a');
    const foreign = new Set<string>();
    rig.router.onChange(() => {
      for (const { name, isOwn } of rig.router.sources()) if (!isOwn) foreign.add(name);
    });
    rig.router.configure(desiredOf([output(2, a)]));
    await untilPicture(peer, 'SBTEST (Out 1)', 'black');
    await rig.sourceNames((names) => !names.includes('SBTEST (Out 1)'));
    // As long as the runtime still lists it, it is not the source of another machine.
    expect([...foreign]).not.toContain('SBTEST (Out 1)');
    rig.router.configure(desiredOf([output(2, a), output(3, a, 'Out 1')]));
    await rig.outputs(([, third]) => third?.fullName === 'SBTEST (Out 1)');
  });

  test('while the process is replaced, receivers keep their picture; routes of that time apply afterwards', async () => {
    const rig = await open({ library: library() });
    rig.router.configure(desiredOf([output(1), output(2)]));
    const { peer, a, b } = await twoSources(rig);
    await rig.router.route([{ id: 1, source: a }]);
    await peer.receive('SBTEST (Out 1)');
    await untilPicture(peer, 'SBTEST (Out 1)', 'a');
    rig.kill();
    await rig.away();
    await expect(rig.router.route([{ id: 2, source: b }])).rejects.toMatchObject({ result: 'noResponse' });
    await rig.outputs(([one, two]) => one?.applied === a && two?.applied === b);
    // Had all outputs been created before the first was routed, a black frame would be among these.
    expect(await untilPicture(peer, 'SBTEST (Out 1)', 'a').then((seen) => new Set(seen))).toEqual(new Set(['a']));
    await rig.router.route([{ id: 1, source: b }]);
    await untilPicture(peer, 'SBTEST (Out 1)', 'b');
  });

  test('an output shows the backup input while its source is away, and the source when it is back', async () => {
    const rig = await open({ library: library() });
    const service = createNdiRouterService({
      ...{ db: memoryDatabase(), audit: createAudit(Date.now), log: createLog('error'), now: Date.now },
      ...{ port: rig.router, defaultBaseName: 'SBTEST', times: { lostMs: 200, backMs: 400, settleMs: 500 } },
      discovery: () => ({ servers: '', extraIps: '', groups: { send: '', receive: '' } }),
      clock: {
        elapsed: () => performance.now(),
        after(ms, work) {
          const timer = setTimeout(work, ms);
          return () => clearTimeout(timer);
        },
      },
    });
    const caller = { actor: { name: 'vera', ip: '192.0.2.7' } };
    const { peer, a, b } = await twoSources(rig);
    await service.set(caller, { inputs: 2, outputs: 1 });
    await service.setInput(caller, { id: 1, source: a, failover: 2 });
    await service.setInput(caller, { id: 2, source: b });
    await service.route(caller, { routes: [{ out: 1, in: 1 }] });
    await peer.receive('SBTEST (Out 1)');
    await untilPicture(peer, 'SBTEST (Out 1)', 'a');
    await peer.stop('A');
    await untilPicture(peer, 'SBTEST (Out 1)', 'b');
    expect(service.get().outputs[0]).toMatchObject({ in: 1, substitute: 2 });
    await peer.send('A', lumas.a);
    await untilPicture(peer, 'SBTEST (Out 1)', 'a');
    expect(service.get().outputs[0]).toMatchObject({ in: 1, substitute: null });
    await service.close();
  });

  // On the double, a process with these rights cannot open the file that is its network.
  test.skipIf(which === 'double')(
    'with the rights that it has in the product, it finds sources and routes',
    async () => {
      const rig = await open({ library: library(), isConfined: true });
      rig.router.configure(desiredOf([output(1)]));
      const { peer, a } = await twoSources(rig);
      await rig.router.route([{ id: 1, source: a }]);
      await peer.receive('SBTEST (Out 1)');
      await untilPicture(peer, 'SBTEST (Out 1)', 'a');
    },
  );
});
