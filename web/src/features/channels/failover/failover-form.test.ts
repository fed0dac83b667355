import { expect, test } from 'bun:test';
import { defaultFailover } from '../../../../../daemon/contract/failover.ts';
import { checkFailover, fieldOfPath, ruleOf, valuesOf } from './failover-form.ts';

test('a rule survives the round trip through the form', () => {
  const rule = { ...defaultFailover, standby: 'cold', back: 'hand', slate: 'bars', 'no-audio-ms': 5000 } as const;
  expect(ruleOf(valuesOf(7, rule))).toEqual(rule);
  expect(valuesOf(0)).toMatchObject({ backup: '0', noData: '300', stable: '10' });
});

test('a fault is shown at its field, and only if there is a backup', () => {
  const wrong = { ...valuesOf(7), noData: '99', noVideo: '1', noAudio: 'x', stable: '' };
  expect(checkFailover(wrong)).toEqual({
    noData: 'atLeast:100',
    noVideo: 'range',
    noAudio: 'number',
    stable: 'number',
  });
  expect(checkFailover({ ...wrong, backup: '0' })).toEqual({});
  expect(checkFailover({ ...valuesOf(7), noVideo: '0', noAudio: '0' })).toEqual({});
  expect(fieldOfPath('failover.no-data-ms')).toBe('noData');
  expect(fieldOfPath('backup')).toBe('backup');
});
