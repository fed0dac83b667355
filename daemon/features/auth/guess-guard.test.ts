import { expect, test } from 'bun:test';
import { createGuessGuard } from './guess-guard.ts';

/** Time stands still but for what is slept: each pause lasts until `wake`, or no time at all. */
function setup({ areHeld = false } = {}) {
  const slept: number[] = [];
  const held: (() => void)[] = [];
  const guard = createGuessGuard({
    now: () => 1_000_000,
    sleep(ms) {
      slept.push(ms);
      return areHeld ? new Promise((resolve) => held.push(resolve)) : Promise.resolve();
    },
  });
  const attempt = (ip: string, isRight: boolean, name = 'Admin') =>
    guard.run(
      { ip, name },
      () => Promise.resolve(isRight),
      (outcome) => !outcome,
    );
  /** Milliseconds that an attempt costs; undefined when it is refused for now. */
  const cost = async (ip: string, isRight: boolean, name = 'Admin') => {
    const before = slept.length;
    const isDone = await attempt(ip, isRight, name).then(
      () => true,
      () => false,
    );
    return isDone ? slept.slice(before).reduce((sum, ms) => sum + ms, 0) : undefined;
  };
  return { attempt, cost, slept, held };
}
const far = (n: number) => `198.51.100.${n}`;
const near = (n: number) => `192.168.7.${n}`;
const flushed = () => new Promise((next) => setImmediate(next));

test('a thousand guesses from one address cost hours, and nobody else a moment', async () => {
  for (const address of [far, near]) {
    const { attempt, cost, slept } = setup();
    for (let i = 0; i < 1000; i++) await attempt(address(1), false, `name${i}`);
    expect(slept.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(2 * 3_600_000);
    expect(await cost(address(2), true)).toBe(0);
  }
});

test('guesses at one name from many addresses outside wait for each other, those of other names do not', async () => {
  const { attempt, cost } = setup();
  for (let i = 0; i < 100; i++) await attempt(far(i), false);
  expect(await cost(far(200), false)).toBe(2000);
  expect(await cost(far(201), false, 'ann')).toBe(0);
});

test('whatever is guessed outside, the administrator in the house signs in at once', async () => {
  const { attempt, cost, held } = setup({ areHeld: true });
  // Who mistyped often enough to wait for others at that name.
  for (let i = 0; i < 4; i++) await attempt(near(9), false);
  const guesses = Array.from({ length: 200 }, (_, i) => attempt(far(i), false).catch(() => undefined));
  await flushed();
  expect(held.length).toBeGreaterThan(0);
  expect(await cost(near(9), true)).toBe(0);
  while (held.length > 0) {
    held.shift()?.();
    await flushed();
  }
  await Promise.all(guesses);
});

test('in the house a name is guessed slowly as well, and its owner goes past who guesses', async () => {
  const { attempt, cost } = setup();
  for (let i = 0; i < 40; i++) await attempt(near(i % 8), false);
  expect(await cost(near(0), false)).toBeGreaterThanOrEqual(2000);
  expect(await cost(near(9), true)).toBe(0);
  // Mistyped once, too.
  expect([await cost(near(10), false), await cost(near(10), true)]).toEqual([0, 0]);
});

test('who may sign in as oneself guesses no faster at another name', async () => {
  const { attempt, cost } = setup();
  for (let i = 0; i < 20; i++) {
    await attempt(near(1), false);
    await attempt(near(1), true, 'ann');
  }
  expect(await cost(near(1), false)).toBe(2000);
});

test('all addresses of one subscriber count as one', async () => {
  const { attempt, cost } = setup();
  for (let i = 0; i < 20; i++) await attempt(`2001:db8:1:2::${i}`, false, `name${i}`);
  expect(await cost('2001:db8:1:2:ffff::1', false, 'ann')).toBe(8000);
  expect(await cost('2001:db8:1:3::1', false, 'ann')).toBe(0);
});
