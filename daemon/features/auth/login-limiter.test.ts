import { expect, test } from 'bun:test';
import { createLoginLimiter, type Place } from './login-limiter.ts';

/** Time advances only by `pass`: each delay lasts until it is released, or no time at all. */
function setup({ areHeld = false, signedIn = [] as Place[] } = {}) {
  let time = 1_000_000;
  const slept: number[] = [];
  const held: (() => void)[] = [];
  const guard = createLoginLimiter({
    now: () => time,
    isUser: (name) => name === 'Admin',
    signedIn,
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
  /** Returns the delay of an attempt in milliseconds, undefined when it is refused for now. */
  const cost = async (ip: string, isRight: boolean, name = 'Admin') => {
    const before = slept.length;
    const isDone = await attempt(ip, isRight, name).then(
      () => true,
      () => false,
    );
    return isDone ? slept.slice(before).reduce((sum, ms) => sum + ms, 0) : undefined;
  };
  return { attempt, cost, slept, held, pass: (ms: number) => (time += ms) };
}
const far = (n: number) => `198.51.100.${n}`;
const near = (n: number) => `192.168.7.${n}`;
const flushed = () => new Promise((next) => setImmediate(next));

test('a thousand guesses from one address cost hours, and do not delay other addresses', async () => {
  for (const address of [far, near]) {
    const { attempt, cost, slept } = setup();
    for (let i = 0; i < 1000; i++) await attempt(address(1), false, `name${i}`);
    expect(slept.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(2 * 3_600_000);
    expect(await cost(address(2), true)).toBe(0);
  }
});

test('guesses at one name from many external addresses delay each other, but not those at other names', async () => {
  const { attempt, cost } = setup();
  for (let i = 0; i < 100; i++) await attempt(far(i), false);
  expect(await cost(far(200), false)).toBe(2000);
  expect(await cost(far(201), false, 'ann')).toBe(0);
});

test('whatever is guessed from outside, the administrator on the local network signs in at once', async () => {
  const { attempt, cost, held } = setup({ areHeld: true });
  // An address with enough mistyped passwords to wait for others at that name.
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

test('guesses at a name from the local network are slow as well, and its owner signs in ahead of them', async () => {
  const { attempt, cost } = setup();
  for (let i = 0; i < 40; i++) await attempt(near(i % 8), false);
  expect(await cost(near(0), false)).toBeGreaterThanOrEqual(2000);
  expect(await cost(near(9), true)).toBe(0);
  // The same after one mistyped password.
  expect([await cost(near(10), false), await cost(near(10), true)]).toEqual([0, 0]);
});

test('signing in successfully with one name does not speed up guesses at another', async () => {
  const { attempt, cost } = setup();
  for (let i = 0; i < 20; i++) {
    await attempt(near(1), false);
    await attempt(near(1), true, 'ann');
  }
  // The delay of the address plus that of the name.
  expect(await cost(near(1), false)).toBe(8000 + 2000);
});

test('all addresses of one subscriber count as one', async () => {
  const { attempt, cost } = setup();
  for (let i = 0; i < 20; i++) await attempt(`2001:db8:1:2::${i}`, false, `name${i}`);
  expect(await cost('2001:db8:1:2:ffff::1', false, 'ann')).toBe(8000);
  expect(await cost('2001:db8:1:3::1', false, 'ann')).toBe(0);
});

test('each local IPv6 address counts separately', async () => {
  const { attempt, cost } = setup();
  for (let i = 0; i < 20; i++) await attempt('fe80::7', false, `name${i}`);
  expect(await cost('fe80::8', true, 'ann')).toBe(0);
  expect(await cost('fd00::8', true, 'bob')).toBe(0);
});

test('a known user of an address signs in while others guess other names from the same address', async () => {
  for (const address of [far(1), near(1), '2001:db8:1:2::9']) {
    const { attempt, cost, held } = setup({ areHeld: true });
    await attempt(address, true);
    const guesses = Array.from({ length: 300 }, (_, i) => attempt(address, false, `name${i}`).catch(() => undefined));
    await flushed();
    expect(held.length).toBeGreaterThan(0);
    for (let i = 0; i < 27; i++) expect(await cost(address, true)).toBe(0);
    // This name has never signed in here.
    expect(await cost(address, true, 'bob')).toBeUndefined();
    while (held.length > 0) {
      held.shift()?.();
      await flushed();
    }
    await Promise.all(guesses);
  }
});

test('guesses at a name are slow from its owner’s address, too', async () => {
  for (const address of [far, near]) {
    const { attempt, cost } = setup();
    await attempt(address(1), true);
    for (let i = 0; i < 20; i++) await attempt(address(1), false);
    expect(await cost(address(1), false)).toBe(2000);
    // Its owner waits for these guesses once, and not at all elsewhere.
    expect([await cost(address(2), true), await cost(address(1), true)]).toEqual([0, 2000]);
    expect(await cost(address(1), true)).toBe(0);
  }
});

test('an address without a sign-in for a month is like any other', async () => {
  const month = 30 * 86_400_000;
  for (const [days, costs] of [
    [month, 0],
    [month + 1, 8000],
  ] as const) {
    const { attempt, cost, pass } = setup({ signedIn: [{ name: 'Admin', ip: far(1) }] });
    pass(days);
    for (let i = 0; i < 20; i++) await attempt(far(1), false, `name${i}`);
    expect(await cost(far(1), true)).toBe(costs);
  }
});

test('all local addresses together can try a few passwords of a name without waiting, and no more', async () => {
  const { attempt, cost, slept } = setup();
  await attempt(near(200), true);
  for (let n = 0; n < 199; n++) for (let i = 0; i < 5; i++) await attempt(near(n), false);
  // 64 skip the queue; the rest wait for each other at the name.
  expect(slept.filter((ms) => ms === 2000).length).toBeGreaterThan(199 * 5 - 64 - 10);
  expect(await cost(near(201), false)).toBe(2000);
  // Known addresses and other names do not wait.
  expect([await cost(near(200), true), await cost(near(202), true, 'ann')]).toEqual([0, 0]);
});

test('parallel attempts get no additional free tries', async () => {
  const { attempt, held } = setup({ areHeld: true });
  let looked = 0;
  const all = Array.from({ length: 250 }, (_, n) =>
    attempt(near(n), false).then(
      () => looked++,
      () => undefined,
    ),
  );
  await flushed();
  expect(looked).toBeLessThanOrEqual(64);
  while (held.length > 0) {
    held.shift()?.();
    await flushed();
  }
  await Promise.all(all);
});

test('guesses at thousands of other names do not make the hub forget the guesses at a user', async () => {
  for (const address of [far, near]) {
    const { attempt, cost } = setup();
    for (let i = 0; i < 100; i++) await attempt(address(i), false);
    for (let i = 0; i < 4200; i++)
      await attempt(address(0).replace(/\d+\.\d+$/, `${i >> 8}.${i & 255}`), false, `name${i}`);
    expect(await cost(address(250), false)).toBe(2000);
  }
});
