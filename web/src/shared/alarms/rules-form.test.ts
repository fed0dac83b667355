import { expect, test } from 'bun:test';
import { defaultAlarmRules, defaultDeviceAlarmRules } from '../../../../daemon/contract/alarm-kinds.ts';
import { channelRules, deviceRules, fieldOfPath } from './rules-form.ts';

test('rules survive the round trip through the form', () => {
  expect(channelRules.rulesOf(channelRules.valuesOf(defaultAlarmRules))).toEqual(defaultAlarmRules);
});

test('a fault is shown at its field', () => {
  const values = { ...channelRules.valuesOf(defaultAlarmRules), 'no-audio:seconds': '0', 'bitrate-below:kbps': 'x' };
  expect(channelRules.check(values)).toEqual({ 'no-audio:seconds': 'atLeast:1', 'bitrate-below:kbps': 'number' });
  expect(fieldOfPath('rules.cc-errors.per-minute')).toBe('cc-errors:per-minute');
});

test('the rules of devices have a form of the same kind', () => {
  const values = deviceRules.valuesOf(defaultDeviceAlarmRules);
  expect(deviceRules.rulesOf(values)).toEqual(defaultDeviceAlarmRules);
  expect(deviceRules.check({ ...values, 'device-hot:celsius': '20' })).toEqual({
    'device-hot:celsius': 'atLeast:30',
  });
});
