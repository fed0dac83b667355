import { expect, test } from 'bun:test';
import { createLog } from '../lib/log.ts';
import type { Bridge } from './bridge.ts';
import { Conversion } from './conversion.ts';
import type { OnVerdict } from './rewrap/ts-to-flv-run.ts';

function setUp() {
  const bridge = {
    isImpossible: false,
    wanted: false,
    want(on: boolean) {
      bridge.wanted = on;
    },
    restart() {},
    close() {},
    log: () => undefined,
  };
  const runs: { judge: OnVerdict; isOpen: boolean }[] = [];
  let changes = 0;
  const conversion = new Conversion({
    name: 'ts to flv',
    log: createLog('error', () => undefined),
    bridge: bridge as unknown as Bridge,
    start(onVerdict) {
      const run = { judge: onVerdict, isOpen: true };
      runs.push(run);
      return {
        close() {
          run.isOpen = false;
        },
      };
    },
    onChange: () => changes++,
  });
  return { bridge, runs, conversion, changes: () => changes };
}

test('FFmpeg runs only while the verdict is for it', () => {
  const { bridge, runs, conversion } = setUp();
  conversion.want(true);
  runs[0]!.judge('own', false);
  expect([bridge.wanted, conversion.isImpossible]).toEqual([false, false]);
  runs[0]!.judge('ffmpeg', false);
  expect(bridge.wanted).toBe(true);
  runs[0]!.judge('own', false);
  expect(bridge.wanted).toBe(false);
  runs[0]!.judge('ffmpeg', false);
  conversion.want(false);
  expect([bridge.wanted, runs[0]!.isOpen]).toEqual([false, false]);
});

test('what nobody can convert is told at once, and forgotten with the next publisher', () => {
  const { runs, conversion, changes } = setUp();
  conversion.want(true);
  runs[0]!.judge('impossible', false);
  expect([conversion.isImpossible, changes()]).toEqual([true, 1]);
  conversion.want(false);
  expect(conversion.isImpossible).toBe(true);
  conversion.want(true);
  conversion.restart();
  expect([conversion.isImpossible, runs.map(({ isOpen }) => isOpen)]).toEqual([false, [false, false, true]]);
});

test('a picture that goes alone is said once, and forgotten with the next publisher', () => {
  const { runs, conversion, changes } = setUp();
  conversion.want(true);
  runs[0]!.judge('own', true);
  expect([conversion.isImpossible, conversion.leavesOutSound, changes()]).toEqual([false, true, 1]);
  conversion.restart();
  expect(conversion.leavesOutSound).toBe(false);
});

test('what FFmpeg finds impossible is impossible', () => {
  const { bridge, runs, conversion } = setUp();
  conversion.want(true);
  runs[0]!.judge('ffmpeg', false);
  bridge.isImpossible = true;
  expect(conversion.isImpossible).toBe(true);
  conversion.close();
  expect(runs[0]!.isOpen).toBe(false);
});
