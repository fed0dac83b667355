import { expect, test } from 'bun:test';
import { untilCoresIdle } from './idle-cores.ts';

test('cores are idle once a whole window had room for one more job', async () => {
  // One entry per window: busy cores of two.
  const windows = [2, 1.8, 1.5, 0];
  let [seconds, looks] = [0, 0];
  const windowMs = 20;
  let [began, cores] = [performance.now(), 0];
  const busySeconds = () => {
    // Looked at twice per window: when it begins and when it ends.
    if (looks++ % 2 === 0) {
      [began, cores] = [performance.now(), windows.shift() ?? 0];
    } else {
      seconds += (cores * (performance.now() - began)) / 1000;
    }
    return seconds;
  };
  await untilCoresIdle(2, busySeconds, windowMs);
  expect(windows).toEqual([0]);
});
