import { expect, test } from 'bun:test';
import { createPasswords, md5Of, passwordCost } from './password.ts';

const passwords = createPasswords({ memoryCost: 8, timeCost: 1 });

test('the published example is the MD5 of its password', () => {
  expect(md5Of('1')).toBe('c4ca4238a0b923820dcc509a6f75849b');
});

test('a password matches its hash in either case of the MD5 digits, another one does not', async () => {
  const hash = await passwords.hashMd5(md5Of('secret'));
  expect(hash).toStartWith('$argon2id$');
  expect(await passwords.verifyMd5(md5Of('secret').toUpperCase(), hash)).toBe(true);
  expect(await passwords.verifyMd5(md5Of('Secret'), hash)).toBe(false);
});

test('nobody is verified without a hash', async () => {
  expect(await passwords.verifyMd5(md5Of('secret'), null)).toBe(false);
});

test('an unknown user takes as long as a wrong password', async () => {
  const real = createPasswords(passwordCost);
  const hash = await real.hashMd5(md5Of('secret'));
  await real.verifyMd5(md5Of('warm'), null);
  const time = async (stored: string | null) => {
    const began = performance.now();
    await real.verifyMd5(md5Of('wrong'), stored);
    return performance.now() - began;
  };
  const rounds: number[] = [];
  for (let i = 0; i < 7; i++) rounds.push((await time(null)) / (await time(hash)));
  const median = rounds.toSorted((a, b) => a - b)[3]!;
  expect(median).toBeGreaterThan(0.5);
  expect(median).toBeLessThan(2);
});
