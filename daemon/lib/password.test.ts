import { expect, spyOn, test } from 'bun:test';
import { createPasswords, md5Of, passwordCost } from './password.ts';

const passwords = createPasswords({ memoryCost: 8, timeCost: 1, iterations: 10 });

test('the published example is the MD5 of its password', () => {
  expect(md5Of('1')).toBe('c4ca4238a0b923820dcc509a6f75849b');
});

test('a password matches its hash in either case of the MD5 digits, another one does not', async () => {
  const hash = await passwords.hashMd5(md5Of('secret'));
  expect(hash).toStartWith('$argon2id$');
  expect(await passwords.verifyMd5(md5Of('secret').toUpperCase(), hash)).toBe(true);
  expect(await passwords.verifyMd5(md5Of('Secret'), hash)).toBe(false);
});

test('without a hash no password matches', async () => {
  expect(await passwords.verifyMd5(md5Of('secret'), null)).toBe(false);
});

test('for an unknown user the same work is done as for a wrong password', async () => {
  const real = createPasswords(passwordCost);
  const hash = await real.hashMd5(md5Of('secret'));
  const verify = spyOn(Bun.password, 'verify');
  for (const stored of [hash, null, null]) expect(await real.verifyMd5(md5Of('wrong'), stored)).toBe(false);
  const cost = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/;
  const stored = verify.mock.calls.map(([, against]) => against);
  verify.mockRestore();
  expect(stored).toHaveLength(3);
  for (const one of stored) expect(one).toMatch(cost);
});

test('however many users sign in at once, memory is used for two attempts', async () => {
  let running = 0;
  let max = 0;
  const verify = spyOn(Bun.password, 'verify').mockImplementation(async () => {
    max = Math.max(max, ++running);
    await new Promise((next) => setImmediate(next));
    running -= 1;
    return true;
  });
  const all = await Promise.all(Array.from({ length: 100 }, () => passwords.verifyMd5(md5Of('secret'), 'a hash')));
  verify.mockRestore();
  expect([all.length, all.includes(false), max]).toEqual([100, false, 2]);
});
