import { expect, test } from 'bun:test';
import { createLog } from '../../lib/log.ts';
import { createKeyGuard, freeGuesses } from './key-guard.ts';

function setUp() {
  let time = 1_000_000;
  const lines: string[] = [];
  const guard = createKeyGuard({ log: createLog('warn', (line) => lines.push(line)), now: () => time });
  const guess = (peer: string, opened?: string) => guard.attempt(peer, opened, 'hls');
  const guessMany = (peer: string, count: number) => {
    for (let n = 0; n < count; n++) guess(peer);
  };
  return { guard, guess, guessMany, lines, pass: (ms: number) => (time += ms) };
}
const bad = '198.51.100.1';

test('a few wrong keys have no effect; after that one per second is checked', () => {
  const { guess, guessMany, lines, pass } = setUp();
  guessMany(bad, freeGuesses - 1);
  expect(guess(bad)).toBe(0);
  expect(lines).toEqual([]);
  expect([guess(bad), guess(bad), guess(bad)]).toEqual([1000, 2000, 3000]);
  expect(lines.at(-1)).toContain(`many wrong stream keys peer=${bad} protocol=hls wrong=23`);
  let looked = 0;
  for (let n = 0; n < 7200; n++) if (guess(bad) !== undefined) looked++;
  expect(looked).toBeLessThanOrEqual(2);
  for (let second = 0; second < 60; second++) {
    pass(1000);
    for (let n = 0; n < 100; n++) if (guess(bad) !== undefined) looked++;
  }
  expect(looked).toBeLessThanOrEqual(65);
});

test('other addresses do not wait; a whole /64 counts as one address', () => {
  const { guess, guessMany } = setUp();
  guessMany(bad, 1000);
  expect(guess('198.51.100.2', '7 play')).toBe(0);
  for (let n = 0; n < 100; n++) guess(`2001:db8::${n}`);
  expect(guess('2001:db8::ffff', '7 play')).toBeUndefined();
  expect(guess('2001:db8:0:1::1', '7 play')).toBe(0);
});

test('an active player continues, and a right key is accepted after the wait', () => {
  const { guess, guessMany } = setUp();
  expect(guess(bad, '7 play')).toBe(0);
  guessMany(bad, freeGuesses + 1);
  expect(guess(bad, '7 play')).toBe(0);
  expect(guess(bad, '8 push')).toBe(2000);
  expect(guess(bad, '8 push')).toBe(0);
});

test('an address starts over after a minute without wrong keys', () => {
  const { guess, guessMany, pass } = setUp();
  guessMany(bad, freeGuesses + 1);
  pass(60_000);
  expect(guess(bad)).toBeGreaterThan(0);
  pass(60_001);
  expect(guess(bad)).toBe(0);
});

test('wrong keys of other protocols count as well', () => {
  const { guard, guess } = setUp();
  guard.countWrong(bad, 15, 'srt');
  expect(guess(bad)).toBe(0);
  guard.countWrong(bad, 15, 'srt');
  expect(guess(bad)).toBe(1000);
});

test('a right key at one address is unknown at another', () => {
  const { guess, guessMany } = setUp();
  guess('198.51.100.2', '7 play');
  guessMany(bad, freeGuesses);
  expect(guess(bad, '7 play')).toBe(1000);
});
