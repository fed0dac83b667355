import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { setupI18n } from '@lingui/core';
import type { Operation } from '../../../../daemon/contract/logs.ts';
import { detailText, operationDetail, operationTexts, operationWord } from './operation-text.ts';

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

const word = (action: string, detail = '', result = 0) => operationWord({ action, detail, result });

test('a refused sign-in is not shown as a sign-in', () => {
  expect(word('session.start')).toBe('session.start');
  expect(word('session.start', '', 39)).toBe('session.refused');
});

test('switching says which way', () => {
  expect(word('channel.enable', 'Studio: enabled true')).toBe('channel.enable.true');
  expect(word('channel.enableOutput', 'Studio: Backup enabled false')).toBe('channel.enableOutput.false');
  expect(word('channel.enable', 'in other words')).toBe('channel.enable');
});

test('a name that sounds like a switch changes nothing else', () => {
  expect(word('channel.add', 'is enabled true')).toBe('channel.add');
});

test('what the word says is not said again beside it', () => {
  const detail = (action: string, text: string) => operationDetail({ action, detail: text, result: 0 });
  expect(detail('channel.enable', 'Studio: enabled true')).toBe('Studio');
  expect(detail('channel.enableOutput', 'Studio: Backup enabled false')).toBe('Studio: Backup');
  expect(detail('channel.set', 'Studio: RTMP true, enabled false')).toBe('Studio: RTMP true, enabled false');
});

test('an action of a later hub has no word', () => {
  expect(word('license.add')).toBeUndefined();
});

test('every action that the hub records has a word', async () => {
  const daemon = join(import.meta.dir, '../../../../daemon');
  const actions = new Set<string>();
  for (const file of new Bun.Glob('features/**/*.ts').scanSync(daemon)) {
    if (file.endsWith('.test.ts')) continue;
    const source = await Bun.file(join(daemon, file)).text();
    for (const [statement] of source.matchAll(/\baction(:| =)[^;}]*/g)) {
      for (const [, action = ''] of statement.matchAll(/'([a-z]+\.[A-Za-z]+)'/g)) actions.add(action);
    }
  }
  expect(actions.size).toBeGreaterThan(10);
  expect([...actions].filter((action) => !Object.hasOwn(operationTexts, action))).toEqual([]);
});
