/** A hanging thread of libsrt: the endpoint ends itself, and is replaced. */
import { afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../tests/support/until.ts';
import { endpointBinary } from '../common/test-endpoint.ts';
import { playKey, Rig } from './test-rig.ts';
import { conclusion, induction, RawPeer, streamId } from './test-srt.ts';

setDefaultTimeout(30_000);

let rig: Rig;

beforeAll(() => endpointBinary('srt', 'plain'), 120_000);
afterEach(() => rig.close());

function preload(): string {
  const library = join(import.meta.dir, 'build/hang-while.so');
  const made = Bun.spawnSync([
    'cc',
    '-shared',
    '-fPIC',
    '-O1',
    '-o',
    library,
    join(import.meta.dir, '../../tests/sim/hang-while.c'),
  ]);
  if (!made.success) throw new Error(made.stderr.toString());
  return library;
}

test('an endpoint whose receive thread hangs is replaced', async () => {
  const cause = join(import.meta.dir, `build/hang-${process.pid}`);
  rig = await Rig.start('plain', {}, { LD_PRELOAD: preload(), HANG_WHILE: cause });
  const { pid } = rig;
  const peer = await RawPeer.open(rig.port);
  writeFileSync(cause, '');
  await peer.send(induction());
  await until(() => rig.log.includes('down: it hung'));
  rmSync(cause);
  await until(() => rig.starts === 2);
  expect(rig.log.some((line) => line.endsWith('a receive thread of libsrt hangs'))).toBeTrue();
  expect(rig.pid).not.toBe(pid);
  await rig.listen();
  expect(await peer.connect(conclusion(streamId(playKey)), 3000)).toBeTrue();
  peer.close();
});

test('an endpoint that was stopped for longer than that continues', async () => {
  rig = await Rig.start('plain');
  const { pid } = rig;
  process.kill(pid, 'SIGSTOP');
  await Bun.sleep(5000);
  process.kill(pid, 'SIGCONT');
  const peer = await RawPeer.open(rig.port);
  expect(await peer.connect(conclusion(streamId(playKey)), 3000)).toBeTrue();
  expect(rig.pid).toBe(pid);
  peer.close();
});
