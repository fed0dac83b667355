/** Words that cross the wire against the lists that have sentences; the compiler checks the sentences against the lists. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { setupI18n } from '@lingui/core';
import { partNames, partReasons } from './part-words.ts';
import { processName } from './process-name.ts';
import { reasonWords } from './reason-words.ts';
import { ruleWords } from './rule-words.ts';

const daemon = join(import.meta.dir, '../../../daemon');

async function sources(pattern: string): Promise<string[]> {
  const paths = [...new Bun.Glob(pattern).scanSync(daemon)].filter((path) => !path.endsWith('.test.ts'));
  return Promise.all(paths.map((path) => Bun.file(join(daemon, path)).text()));
}

function wordsIn(texts: readonly string[], patterns: readonly RegExp[]): string[] {
  const found = texts.flatMap((text) => patterns.flatMap((pattern) => [...text.matchAll(pattern)]));
  return [...new Set(found.map(([, word = '']) => word))];
}

test('every rule of the contract has a sentence', async () => {
  const words = wordsIn(await sources('contract/*.ts'), [
    /z\.(?:int|gte|lte|minLength|maxLength|regex|refine)\([^\n]*?'([a-zA-Z0-9]+)'\)/g,
    /^ +'([a-zA-Z0-9]+)',\n +\),\n/gm,
  ]);
  expect(words).toContain('outerSpace');
  expect(words).toContain('exactlyOne');
  expect(words.filter((word) => !ruleWords.some((known) => known === word))).toEqual([]);
});

test('every rule that only the hub can check has a sentence', async () => {
  const words = wordsIn(await sources('{features,lib,http}/**/*.ts'), [
    /fieldError\((?:[^(),]+|\w+\([^)]*\)), '([a-zA-Z0-9]+)'/g,
    /\brule: '([a-zA-Z0-9]+)'/g,
    /\bfault\('([a-zA-Z0-9]+)'/g,
  ]);
  expect(words).toContain('privilegedPort');
  expect(words).toContain('unknownOption');
  expect(words.filter((word) => !ruleWords.some((known) => known === word))).toEqual([]);
});

test('the reasons of the engine are those that have sentences, and its absence', async () => {
  const [status = ''] = await sources('media/status.ts');
  const type = /export type LegReason =([^;]+);/.exec(status)?.[1] ?? '';
  const words = [...type.matchAll(/'(\w+)'/g)].map(([, word = '']) => word);
  expect([...words, 'engineDown'].toSorted()).toEqual(reasonWords.toSorted());
});

test('every part that can be missing has a name, and every reason a sentence', async () => {
  const places = [
    'features/system/*.ts',
    'http/{certificate,make-certificate,web-server}.ts',
    'media/{http,rtmp,srt,udp}-door.ts',
    'media/descriptors.ts',
    'media/listen-failure.ts',
    'media/ffmpeg/version.ts',
  ];
  const texts = (await Promise.all(places.map(sources))).flat();
  const names = wordsIn(texts, [/\bname: '(\w+)', ok: false/g]);
  expect(names).toContain('srt');
  expect(names).toContain('folder');
  expect(names.filter((name) => !partNames.some((known) => known === name))).toEqual([]);
  const reasons = wordsIn(texts, [/\breason: '(\w+)'(?! \|)/g, /\? '(\w+)' : '\w+', message/g]);
  expect(reasons).toContain('portOccupied');
  for (const reason of ['noSpace', 'opensslMissing']) expect(reasons).toContain(reason);
  expect(reasons.filter((reason) => !partReasons.some((known) => known === reason))).toEqual([]);
});

test('every process that keeps a log has a name of its own', async () => {
  const [text = ''] = await sources('media/bridges.ts');
  const names = wordsIn([text], [/^ +name: '([^']+)'/gm]).map((name) => `bridge ${name}`);
  expect(names.length).toBe(2);
  const i18n = setupI18n({ locale: 'en', messages: { en: {} } });
  for (const name of names) expect(processName(i18n, name)).not.toBe(name);
});
