/** Habits of CONTRIBUTING.md that a machine can check. */
import { describe, expect, test } from 'bun:test';
import { basename } from 'node:path';
import { projectFiles, read } from './source-files.ts';

const files = projectFiles();
const isSource = (path: string): boolean => /\.(tsx?|css|c|h|sh)$/.test(path);
const isText = (path: string): boolean => !/\.(png|ico|woff2?|flv|ts|mp4)$/.test(path) || path.endsWith('.ts');
const longestFile = 500;

const folders = ['.ci', 'daemon', 'docs', 'firmware-packaging', 'native', 'system', 'tests', 'web'];

describe('the tree', () => {
  test('has no other folders at the top than ARCHITECTURE.md names', () => {
    const found = new Set(files.filter((path) => path.includes('/')).map((path) => path.split('/')[0] ?? ''));
    expect([...found].filter((folder) => !folders.includes(folder))).toEqual([]);
  });

  test(`has no source file over ${longestFile} lines`, () => {
    const long = files.filter((path) => isSource(path) && read(path).split('\n').length - 1 > longestFile);
    expect(long).toEqual([]);
  });

  test('has no file whose name says nothing', () => {
    const vague = files.filter((path) =>
      /^(utils?|helpers?|common|manager|misc|index)\.(tsx?|c|h)$/.test(basename(path)),
    );
    expect(vague).toEqual([]);
  });

  test('mentions no folder of a developer’s machine', () => {
    const machine = new RegExp(['', '(work|root|home/[a-z]+|Users/[A-Za-z]+)', ''].join('/'));
    const mentions = files.filter((path) => isText(path) && machine.test(read(path)));
    expect(mentions).toEqual([]);
  });
});

describe('the daemon', () => {
  test('has its waiting times in one table', () => {
    const own = /const \w*(timeout|answer|stall|stuck|idle|hold|linger|retry|backoff|grace|keepAlive|kill)\w*Ms = \d/i;
    const isDaemon = (path: string) => /^daemon\/(?!contract\/).*(?<!\.test|-for-test)\.ts$/.test(path);
    expect(files.filter((path) => isDaemon(path) && own.test(read(path)))).toEqual([]);
  });
});

describe('the console', () => {
  test('takes schemas by their names: of a call, only method and path are in the built console', () => {
    const ofCalls = /\b\w+Api\.\w+\.(body|query|answer|summary|scope)\b/;
    const wrong = files.filter((path) => path.startsWith('web/src/') && isSource(path) && ofCalls.test(read(path)));
    expect(wrong).toEqual([]);
  });
});
