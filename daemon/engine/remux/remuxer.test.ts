import { expect, test } from 'bun:test';
import { createLog } from '../../lib/log.ts';
import type { OnSupport } from './codec-support.ts';
import { Conversion } from './remuxer.ts';

function setUp() {
  const runs: { judge: OnSupport; isOpen: boolean }[] = [];
  let changes = 0;
  const conversion = new Conversion({
    name: 'ts to flv',
    log: createLog('error', () => undefined),
    start(onSupport) {
      const run = { judge: onSupport, isOpen: true };
      runs.push(run);
      return {
        close() {
          run.isOpen = false;
        },
      };
    },
    onChange: () => changes++,
  });
  return { runs, conversion, changes: () => changes };
}

test('the buses are read only while the other format has subscribers', () => {
  const { runs, conversion } = setUp();
  conversion.want(true);
  runs[0]!.judge('possible', false);
  expect([conversion.isImpossible, runs[0]!.isOpen]).toEqual([false, true]);
  conversion.want(false);
  expect(runs[0]!.isOpen).toBe(false);
});

test('an unsupported stream is reported at once, and the report ends with the next publisher', () => {
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

test('dropped audio is reported once, and the report ends with the next publisher', () => {
  const { runs, conversion, changes } = setUp();
  conversion.want(true);
  runs[0]!.judge('possible', true);
  expect([conversion.isImpossible, conversion.leavesOutSound, changes()]).toEqual([false, true, 1]);
  conversion.restart();
  expect(conversion.leavesOutSound).toBe(false);
});
