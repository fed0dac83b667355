import { expect, test } from 'bun:test';
import { setupI18n } from '@lingui/core';
import { deviceProblems } from '../../../daemon/contract/device-problems.ts';
import { alarmReasonText } from './alarm-text.ts';
import { problemTexts } from './device-problem-text.ts';

const i18n = setupI18n({ locale: 'en', messages: { en: {} } });

test('the reason of an alarm of a device is a sentence, whatever the problem of the device is', () => {
  for (const word of deviceProblems) {
    expect(alarmReasonText(i18n, word)).toBe(i18n._(problemTexts[word]));
    expect(alarmReasonText(i18n, word)).not.toBe(word);
  }
  expect(alarmReasonText(i18n, undefined)).toBe('');
});
