import { expect, test } from 'bun:test';
import { type DeviceProblemWord, deviceProblems } from '../../../../daemon/contract/device-problems.ts';
import { regStates } from '../../../../daemon/contract/device-states.ts';
import { problemTexts } from '../../i18n/device-problem-text.ts';
import { needsAttention, reasonsOf, remedyTexts, shownSerial, stateOf, warningTexts } from './device-look.ts';

const online = { 'reg-state': regStates.accepted, connection: 'online', 'dev-warns': 0 } as const;

test('a device is in the gravest state that applies', () => {
  expect(stateOf(online)).toBe('online');
  expect(stateOf({ ...online, 'dev-warns': 1 })).toBe('warning');
  expect(stateOf({ ...online, connection: 'offline', 'dev-warns': 1 })).toBe('offline');
  expect(stateOf({ ...online, 'reg-state': regStates.pending, connection: 'offline' })).toBe('pending');
  expect(stateOf({ ...online, 'reg-state': regStates.rejected })).toBe('rejected');
  expect(stateOf({ ...online, connection: 'connecting' })).toBe('connecting');
});

test('a device that is switched off does not need attention; one with a wrong password does', () => {
  const offline = { ...online, connection: 'offline' } as const;
  expect(needsAttention({ ...offline, problem: 'unreachable' })).toBe(false);
  expect(needsAttention({ ...offline, problem: 'wrongPassword' })).toBe(true);
  expect(needsAttention({ ...offline, problem: 'wrongPassword', 'reg-state': regStates.pending })).toBe(false);
});

test('the reasons begin with the problem', () => {
  expect(reasonsOf({ ...online, problem: 'busy', 'dev-warns': 1 | 8 })).toEqual([
    problemTexts.busy,
    warningTexts.noSignal,
    warningTexts.diskFull,
  ]);
});

test('the serial number of another make is shown without its prefix of nine characters', () => {
  expect(shownSerial('123456789ABC', 'thirdParty')).toBe('ABC');
  expect(shownSerial('123456789', 'thirdParty')).toBe('123456789');
  expect(shownSerial('B313231201201', 'ultraEncode')).toBe('B313231201201');
});

test('every problem has its own name, and a sentence that tells what to do about it', () => {
  const texts = (of: typeof problemTexts) => deviceProblems.map((word: DeviceProblemWord) => of[word].message ?? '');
  for (const table of [problemTexts, remedyTexts]) expect(new Set(texts(table)).size).toBe(deviceProblems.length);
  for (const text of texts(remedyTexts)) expect(text).toMatch(/^[A-Z].{30,}\.$/);
});
