import { expect, test } from 'bun:test';
import { idleSeconds, keepOpenDuring } from './keep-open.ts';

test.each([
  ['work that ends', () => Promise.resolve()],
  ['work that fails', () => Promise.reject(new Error('failed'))],
])('after %s, the connection has its idle timeout again', async (_, work) => {
  const seen: (number | string)[] = [];
  const connection = { ip: '', isSecure: false, keepOpen: (seconds = 0) => void seen.push(seconds) };
  await keepOpenDuring(connection, () => {
    seen.push('work');
    return work();
  }).catch(() => {});
  expect(seen).toEqual([0, 'work', idleSeconds]);
});
