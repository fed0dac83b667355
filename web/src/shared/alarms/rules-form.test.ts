import { expect, test } from 'bun:test';
import { defaultAlarmRules } from '../../../../daemon/contract/alarm-kinds.ts';
import { checkRules, fieldOfPath, rulesOf, valuesOf } from './rules-form.ts';

test('rules survive the round trip through the form', () => {
  expect(rulesOf(valuesOf(defaultAlarmRules))).toEqual(defaultAlarmRules);
});

test('a fault is shown at its field', () => {
  const values = { ...valuesOf(defaultAlarmRules), 'no-audio:seconds': '0', 'bitrate-below:kbps': 'x' };
  expect(checkRules(values)).toEqual({ 'no-audio:seconds': 'atLeast:1', 'bitrate-below:kbps': 'number' });
  expect(fieldOfPath('rules.cc-errors.per-minute')).toBe('cc-errors:per-minute');
});
