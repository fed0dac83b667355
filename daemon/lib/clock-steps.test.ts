import { expect, test } from 'bun:test';
import { until } from '../../tests/support/until.ts';
import { createStepWatch, msSinceBoot } from './clock-steps.ts';

const yearMs = 365 * 24 * 3_600_000;

function setup() {
  const at = { wall: 1_790_000_000_000, awake: 5000, booted: 7000 };
  const stepped = createStepWatch(() => at.wall, { elapsed: () => at.awake, sinceBoot: () => at.booted });
  const pass = (ms: number) => {
    at.wall += ms;
    at.awake += ms;
    at.booted += ms;
  };
  return { at, stepped, pass };
}

test('a clock that runs on is not set', () => {
  const { stepped, pass } = setup();
  for (const ms of [0, 1, 60_000, 3 * yearMs]) {
    pass(ms);
    expect(stepped()).toBe(0);
  }
});

test.each([
  ['forward', yearMs],
  ['back', -yearMs],
])('a clock that is set %s is noticed once, by how much', (_, by) => {
  const { at, stepped, pass } = setup();
  pass(60_000);
  at.wall += by;
  expect([stepped(), stepped()]).toEqual([by, 0]);
  pass(60_000);
  at.wall -= by;
  expect([stepped(), stepped()]).toEqual([-by, 0]);
});

test('a machine that slept has not set its clock, and a step after that is noticed', () => {
  const { at, stepped } = setup();
  at.wall += 3_600_000;
  at.booted += 3_600_000;
  expect(stepped()).toBe(0);
  at.wall += yearMs;
  expect(stepped()).toBe(yearMs);
});

test('the time since the start of the machine grows', async () => {
  const before = msSinceBoot();
  expect(before).toBeGreaterThan(0);
  await until(() => msSinceBoot() > before);
});
