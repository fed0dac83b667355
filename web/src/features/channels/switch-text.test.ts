import { expect, test } from 'bun:test';
import { i18n } from '@lingui/core';
import type { RunEvent } from '../../../../daemon/contract/run-history.ts';
import { formatFor } from '../../lib/format.ts';
import { switchReasonText } from './switch-text.ts';

i18n.loadAndActivate({ locale: 'en', messages: {} });

const text = (event: Partial<RunEvent>) =>
  switchReasonText(i18n, formatFor('en'), { id: 1, time: 0, what: 'switch', name: '', from: '', to: '', ...event });

test('a switch says which input failed, and for how long', () => {
  expect(text({ from: 'main', to: 'backup', reason: 'noData', 'after-ms': 300 })).toBe('Main had no data for 300 ms');
  expect(text({ from: 'backup', to: 'slate', reason: 'noVideo', 'after-ms': 1500 })).toBe(
    'Backup had no video for 1.5 s',
  );
  expect(text({ from: 'slate', to: 'backup', reason: 'ended' })).toBe('The input disconnected');
});

test('a switch says who made it, or why the main input returned', () => {
  expect(text({ to: 'backup', reason: 'operator', by: 'Anna' })).toBe('Switched manually by Anna');
  expect(text({ to: 'backup', reason: 'operator' })).toBe('Switched manually');
  expect(text({ to: 'main', reason: 'stable', 'after-ms': 10_000 })).toBe('Main was stable for 10 s');
  expect(text({ from: 'slate', to: 'backup', reason: 'stable', 'after-ms': 10_000 })).toBe('This input recovered');
});
