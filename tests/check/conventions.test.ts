/** Conventions of CONTRIBUTING.md that can be checked automatically. */
import { describe, expect, test } from 'bun:test';
import { basename, dirname, join } from 'node:path';
import { projectFiles, read } from './source-files.ts';

const files = projectFiles();
const isSource = (path: string): boolean => /\.(tsx?|css|c|h|sh)$/.test(path);
const isText = (path: string): boolean => !/\.(png|ico|woff2?|flv|ts|mp4)$/.test(path) || path.endsWith('.ts');
const longestFile = 500;

const folders = ['.ci', 'daemon', 'docs', 'firmware-packaging', 'native', 'system', 'tests', 'web'];

describe('the tree', () => {
  test('has only the top-level folders that ARCHITECTURE.md lists', () => {
    const found = new Set(files.filter((path) => path.includes('/')).map((path) => path.split('/')[0] ?? ''));
    expect([...found].filter((folder) => !folders.includes(folder))).toEqual([]);
  });

  test(`has no source file over ${longestFile} lines`, () => {
    const long = files.filter((path) => isSource(path) && read(path).split('\n').length - 1 > longestFile);
    expect(long).toEqual([]);
  });

  test('has no file with a meaningless name', () => {
    // The role that is called helper is what its process is.
    const vague = files.filter(
      (path) =>
        /^(utils?|helpers?|common|manager|misc|index)\.(tsx?|c|h)$/.test(basename(path)) &&
        path !== 'daemon/roles/helper.ts',
    );
    expect(vague).toEqual([]);
  });

  test('mentions no folder of a developer’s machine', () => {
    const machine = new RegExp(['', '(work|root|home/[a-z]+|Users/[A-Za-z]+)', ''].join('/'));
    const mentions = files.filter((path) => isText(path) && machine.test(read(path)));
    expect(mentions).toEqual([]);
  });
});

/** Private terms that were replaced by standard ones, and words that have a plainer alternative. */
const retired =
  /\b(legs?|playouts?|outlets?|turnstiles?|rewraps?|re-wrap\w*|feeders?|hopeless|cures?|licences?|programmes?|begun|anew)\b/i;
/** Wire fields, fields of other programs, and names in tests. */
const retiredAllowed = [/\bOutlet\b/, /playout rack|archive playout/i, /noProgramme/];
/** Old versions of data, and files that must stay unchanged. */
const keepsOldWords = /^(daemon\/store\/migrations\/|tests\/check\/conventions\.test\.ts|web\/src\/i18n\/locales\/)/;

/** Phrases that have a plainer alternative, which neither titles of tests nor documents contain. */
const stilted =
  /\b(nobody|somebody|everybody|whoever|whatsoever|oneself|of whom|for want of|all the while|can not|goes on(?! air)|what comes|(?<!\bthere )(is|are|was|were) no (?!longer|more than))\b/i;

/** Titles of `test('...')` and of `test.each([...])('...')`. */
const titles = /(?:^\s*(?:test|it|describe)\b[^'"`\n]*|\](?: as const)?\))\(\s*(['"`])(.*?)\1[,)]/gm;

/** Splits camelCase and SNAKE_CASE names into words. */
const wordsOf = (line: string) => line.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll('_', ' ');

describe('the language', () => {
  test('has none of the retired terms', () => {
    const found = files
      .filter((path) => /\.(tsx?|c|h|md)$/.test(path) && !keepsOldWords.test(path))
      .flatMap((path) =>
        read(path)
          .split('\n')
          .map((line, at) => ({ place: `${path}:${at + 1}`, line }))
          .filter(({ line }) => !retiredAllowed.some((allowed) => allowed.test(line)))
          .flatMap(({ place, line }) => {
            const term = retired.exec(wordsOf(line))?.[0];
            return term === undefined ? [] : [`${place}: ${term}`];
          }),
      );
    expect(found).toEqual([]);
  });

  test('is plain in titles of tests and in documents', () => {
    const found = files.flatMap((path) => {
      const texts = /\.(test|e2e)\.tsx?$/.test(path)
        ? [...read(path).matchAll(titles)].map(([, , title = '']) => title)
        : [];
      if (path.endsWith('.md')) texts.push(...read(path).split('\n'));
      return texts.filter((text) => stilted.test(text)).map((text) => `${path}: ${text}`);
    });
    expect(found).toEqual([]);
  });
});

describe('the daemon', () => {
  test('has its timeouts and delays in one table', () => {
    const own = /const \w*(timeout|answer|stall|stuck|idle|hold|linger|retry|backoff|grace|keepAlive|kill)\w*Ms = \d/i;
    const isDaemon = (path: string) => /^daemon\/(?!contract\/).*(?<!\.test|-for-test)\.ts$/.test(path);
    expect(files.filter((path) => isDaemon(path) && own.test(read(path)))).toEqual([]);
  });
});

describe('the console', () => {
  test('imports schemas by name, because the built console contains only method and path of a call', () => {
    const ofCalls = /\b\w+Api\.\w+\.(body|query|response|summary|scope)\b/;
    const wrong = files.filter((path) => path.startsWith('web/src/') && isSource(path) && ofCalls.test(read(path)));
    expect(wrong).toEqual([]);
  });

  test('uses only classes that the CSS module defines', () => {
    const undefinedClasses = files.filter((path) => /^web\/src\/.*\.tsx$/.test(path)).flatMap(missingClasses);
    expect(undefinedClasses).toEqual([]);
  });
});

/** The types of CSS modules allow any name, and a missing class leaves an element without its style. */
function missingClasses(path: string): string[] {
  const text = read(path);
  return [...text.matchAll(/^import (\w+) from '([^']+\.module\.css)';$/gm)].flatMap(([, name = '', file = '']) => {
    const defined = new Set([...read(join(dirname(path), file)).matchAll(/\.([\w-]+)/g)].map(([, one]) => one));
    const used = [...text.matchAll(new RegExp(`\\b${name}\\.(\\w+)`, 'g'))].map(([, one]) => one);
    return used.filter((one) => !defined.has(one)).map((one) => `${path}: ${one}`);
  });
}
