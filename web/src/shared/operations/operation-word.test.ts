import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { operationDetail, operationWord, operationWords } from './operation-word.ts';

const word = (action: string, detail = '', result = 0) => operationWord({ action, detail, result });

test('a refused sign-in is not shown as a sign-in', () => {
  expect(word('session.start')).toBe('session.start');
  expect(word('session.start', '', 39)).toBe('session.refused');
});

test('switching has a word for each direction', () => {
  expect(word('channel.enable', 'Studio: enabled true')).toBe('channel.enable.true');
  expect(word('channel.enableOutput', 'Studio: Backup enabled false')).toBe('channel.enableOutput.false');
  expect(word('channel.enable', 'in other words')).toBe('channel.enable');
});

test('a name that looks like a switch changes nothing else', () => {
  expect(word('channel.add', 'is enabled true')).toBe('channel.add');
});

test('details that the word already contains are omitted', () => {
  const detail = (action: string, text: string) => operationDetail({ action, detail: text, result: 0 });
  expect(detail('channel.enable', 'Studio: enabled true')).toBe('Studio');
  expect(detail('channel.enableOutput', 'Studio: Backup enabled false')).toBe('Studio: Backup');
  expect(detail('channel.set', 'Studio: RTMP true, enabled false')).toBe('Studio: RTMP true, enabled false');
});

test('an unknown action of a later hub has no word', () => {
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
  expect([...actions].filter((action) => !operationWords.some((known) => known === action))).toEqual([]);
});
