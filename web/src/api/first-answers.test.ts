import { afterEach, expect, spyOn, test } from 'bun:test';
import { askSetupState } from '../shared/password/auth-calls.ts';
import { firstSetupState } from './first-answers.ts';

const answer = { result: 0, needed: false, 'needs-code': false, language: 'en' };
let asked = 0;
let isAway = false;
const fetching = spyOn(globalThis, 'fetch').mockImplementation((async () => {
  asked += 1;
  if (isAway) throw new TypeError('no connection');
  return Response.json(answer);
}) as unknown as typeof fetch);
afterEach(() => {
  asked = 0;
  isAway = false;
  fetching.mockClear();
});

test('the sign-in page takes the answer that its language was read from, and asks again later', async () => {
  await firstSetupState.ask();
  expect(await askSetupState()).toMatchObject({ needed: false, language: 'en' });
  expect(asked).toBe(1);
  await askSetupState();
  expect(asked).toBe(2);
});

test('an answer that failed is not taken', async () => {
  isAway = true;
  expect(firstSetupState.ask()).rejects.toThrow();
  isAway = false;
  await Bun.sleep(0);
  expect(firstSetupState.take()).toBeUndefined();
});
