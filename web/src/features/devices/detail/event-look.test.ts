import { expect, test } from 'bun:test';
import { deviceWarnings } from '../../../../../daemon/contract/device-facts.ts';
import { deviceProblems } from '../../../../../daemon/contract/device-problems.ts';
import { type UpgradeFault, upgradeFaults } from '../../../../../daemon/contract/upgrade-states.ts';
import { problemTexts } from '../../../i18n/device-problem-text.ts';
import { warningTexts } from '../../../shared/devices/device-look.ts';
import { upgradeFaultTexts } from '../../../shared/firmware/upgrade/upgrade-look.ts';
import { eventLook, eventReason } from './event-look.ts';

const event = { id: 1, time: 1, level: 'warn', text: 'a line' } as const;

test('the reason of an event is that of the problem or of the warning', () => {
  for (const word of deviceProblems) {
    expect(eventReason({ ...event, event: 'offline', word })).toBe(problemTexts[word]);
  }
  for (const word of deviceWarnings) {
    expect(eventReason({ ...event, event: 'warning', word })).toBe(warningTexts[word]);
  }
  expect(eventReason({ ...event, event: 'offline', word: 'unknown' })).toBeUndefined();
  expect(eventReason({ ...event, event: 'online' })).toBeUndefined();
});

test('the log has the version of new firmware, or why there is none', () => {
  expect(eventReason({ ...event, event: 'upgraded', word: '2.4.288' })).toBe('2.4.288');
  for (const word of Object.keys(upgradeFaults) as UpgradeFault[]) {
    expect(eventReason({ ...event, event: 'upgradeFailed', word })).toBe(upgradeFaultTexts[word]);
  }
  expect(eventReason({ ...event, event: 'upgradeFailed', word: 'unknownError' })).toBeUndefined();
});

test('another line of the log is shown as it is, in the color of its level', () => {
  expect(eventReason({ ...event, event: 'other' })).toBe('a line');
  expect(eventLook({ event: 'other', level: 'warn' }).tone).toBe('warn');
  expect(eventLook({ event: 'other', level: 'info' }).tone).toBe('off');
});
