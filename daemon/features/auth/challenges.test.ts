import { expect, test } from 'bun:test';
import { createChallenges } from './challenges.ts';

function setup() {
  let time = 1_800_000_000_000;
  const challenges = createChallenges(() => time);
  const whom = (name: string, ip = '192.0.2.1') => ({ name, ip, session: '' });
  const give = (to = whom('ann')) => challenges.give(to, { salt: '00'.repeat(16), iterations: 10 }).nonce;
  return { challenges, whom, give, pass: (ms: number) => (time += ms) };
}

test('a challenge is valid once, for a minute, and only for its address and name', () => {
  const { challenges, whom, give, pass } = setup();
  const nonce = give();
  expect(nonce).toMatch(/^[0-9a-f]{32}$/);
  expect(challenges.take(nonce, whom('ann'))).toMatchObject({ nonce, iterations: 10 });
  expect(challenges.take(nonce, whom('ann'))).toBeUndefined();
  for (const other of [whom('bob'), whom('ann', '192.0.2.2'), { ...whom('ann'), session: 'a session' }]) {
    const asked = give();
    expect(challenges.take(asked, other)).toBeUndefined();
    expect(challenges.take(asked, whom('ann'))).toBeUndefined();
  }
  const old = give();
  pass(30_000);
  const young = give();
  pass(30_001);
  expect([challenges.take(old, whom('ann')), challenges.take(young, whom('ann'))?.nonce]).toEqual([undefined, young]);
});

test('one address has at most 64 waiting challenges, and replaces its own', () => {
  const { challenges, whom, give } = setup();
  const elsewhere = give(whom('ann', '198.51.100.7'));
  const nonces = Array.from({ length: 70 }, () => give());
  const kept = nonces.filter((nonce) => challenges.take(nonce, whom('ann')) !== undefined);
  expect(kept).toEqual(nonces.slice(6));
  expect(challenges.take(elsewhere, whom('ann', '198.51.100.7'))).toBeDefined();
});

test('all addresses together have at most 1024 waiting challenges', () => {
  const { challenges, whom, give } = setup();
  const all = Array.from({ length: 1100 }, (_, i) => {
    const to = whom('ann', `10.0.${i >> 8}.${i & 255}`);
    return { to, nonce: give(to) };
  });
  expect(all.filter(({ nonce, to }) => challenges.take(nonce, to) !== undefined)).toEqual(all.slice(76));
});
