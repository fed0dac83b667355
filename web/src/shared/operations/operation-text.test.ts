import { expect, test } from 'bun:test';
import { setupI18n } from '@lingui/core';
import type { Operation } from '../../../../daemon/contract/logs.ts';
import { detailText } from './operation-text.ts';

const i18n = setupI18n({ locale: 'en', messages: { en: {} } });
const textOf = (entry: Partial<Operation>) =>
  detailText(i18n, {
    id: 1,
    time: 0,
    user: '',
    ip: '',
    via: '',
    action: 'channel.set',
    detail: 'line',
    result: 0,
    ...entry,
  });

test('the changes follow the name', () => {
  const changes = [{ word: 'allowSrt', value: 'false' } as const, { word: 'pushKey' } as const];
  expect(textOf({ subject: 'Studio', changes })).toBe('Studio: without SRT, new push key');
  expect(textOf({ subject: 'Studio', changes: [] })).toBe('Studio');
});

test('a change that the action already names is omitted', () => {
  const changes = [{ word: 'enabled', value: 'true' } as const];
  expect(textOf({ action: 'channel.enable', subject: 'Studio', changes })).toBe('Studio');
});

test('a group of settings is shown with its title', () => {
  const changes = [{ word: 'port', value: '1936' } as const];
  expect(textOf({ action: 'settings.set', subject: 'rtmp', changes })).toBe('RTMP server: port 1936');
});

test('an entry without structured changes, or with unknown ones, shows the line from the hub', () => {
  expect(textOf({})).toBe('line');
  const unknown = [{ word: 'colour', value: 'red' }] as unknown as Operation['changes'];
  expect(textOf({ subject: 'Studio', changes: unknown })).toBe('line');
});
