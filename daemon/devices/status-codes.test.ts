import { expect, test } from 'bun:test';
import { results } from '../contract/result.ts';
import { resultOfFault } from '../features/devices/problem-result.ts';
import { statusCodes } from './status-codes.ts';

/** The published names of the codes are those of the hub's own results. */
const published = Object.values(results)
  .map(({ code }) => code)
  .filter((code) => code > 0 && code <= 54);

test.each(published)('the code %i has a text, and says more than that the device refused', (code) => {
  expect(statusCodes.textOf(code)).not.toBe(`code ${code}`);
  const fault = statusCodes.faultOf('', code);
  expect(statusCodes.wordOf(code) === 'refused').toBe(fault !== undefined);
  if (fault !== undefined) expect(resultOfFault[fault]).not.toBe('success');
});

test('a code beyond the published ones is shown as it is', () => {
  expect([statusCodes.textOf(55), statusCodes.wordOf(55), statusCodes.faultOf('', 55)]).toEqual([
    'code 55',
    'refused',
    undefined,
  ]);
});
