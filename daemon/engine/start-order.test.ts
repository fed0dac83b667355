import { expect, test } from 'bun:test';
import { createConnectStagger } from './start-order.ts';

test('a few connections to a host begin at once, more are spread over a second, another host is none of them', () => {
  let at = 0;
  let dice = 0;
  const stagger = createConnectStagger(
    () => at,
    () => (dice += 0.1),
  );
  const delays = Array.from({ length: 6 }, () => stagger.delayFor('encoder'));
  expect(delays.map(Math.round)).toEqual([0, 0, 0, 100, 200, 300]);
  expect(stagger.delayFor('another')).toBe(0);
  at = 1001;
  expect(stagger.delayFor('encoder')).toBe(0);
});
