/** Words that cross the wire against the tables that have their sentences. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { partNames, partReasons } from './part-text.ts';
import { connectionReasons } from './reason-text.ts';
import { ruleTexts } from './rule-text.ts';

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
  expect(words.filter((word) => !Object.hasOwn(ruleTexts, word))).toEqual([]);
});

test('every rule that only the hub can check has a sentence', async () => {
  const words = wordsIn(await sources('{features,lib,http,sources}/**/*.ts'), [
    /fieldError\((?:[^(),]+|\w+\([^)]*\)), '([a-zA-Z0-9]+)'/g,
    /\brule: '([a-zA-Z0-9]+)'/g,
    /\burlError\('([a-zA-Z0-9]+)'/g,
  ]);
  expect(words).toContain('privilegedPort');
  expect(words).toContain('unknownOption');
  expect(words.filter((word) => !Object.hasOwn(ruleTexts, word))).toEqual([]);
});

test('the reasons of the engine and its absence have sentences', async () => {
  const [status = ''] = await sources('media/protocol/reported.ts');
  const type = /export type ConnectionReason =([^;]+);/.exec(status)?.[1] ?? '';
  const words = [...type.matchAll(/'(\w+)'/g)].map(([, word = '']) => word);
  expect([...words, 'engineDown'].toSorted()).toEqual(Object.keys(connectionReasons).toSorted());
});

test('every part that can be missing has a name, and every reason has a sentence', async () => {
  const places = [
    'features/system/*.ts',
    'http/{certificate,openssl,web-server}.ts',
    'engine/{hls,rtmp,srt,udp}/adapter.ts',
    'engine/net/descriptors.ts',
    'engine/connection/listen-failure.ts',
    'engine/ffmpeg/version.ts',
  ];
  const texts = (await Promise.all(places.map(sources))).flat();
  const names = wordsIn(texts, [/\bname: '(\w+)', ok: false/g]);
  expect(names).toContain('srt');
  expect(names).toContain('folder');
  expect(names.filter((name) => !Object.hasOwn(partNames, name))).toEqual([]);
  const reasons = wordsIn(texts, [/\breason: '(\w+)'(?! \|)/g, /\? '(\w+)' : '\w+', message/g]);
  expect(reasons).toContain('portOccupied');
  for (const reason of ['noSpace', 'opensslMissing']) expect(reasons).toContain(reason);
  expect(reasons.filter((reason) => !Object.hasOwn(partReasons, reason))).toEqual([]);
});
