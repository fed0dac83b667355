/**
 * Compares the catalogs with the sources: each text exists, also in Chinese, with the same placeholders, and is used.
 */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type CatalogType, getCatalogs } from '@lingui/cli/api';
import { getConfig } from '@lingui/conf';
import { importsOf } from './import-rules.ts';
import { root } from './source-files.ts';

const config = getConfig({ cwd: root });
const remedy = 'run `bun --bun x lingui extract` and translate';

/** Returns `{name}`, `{count, plural, ...}` and `<0>`, each once. */
function placeholders(message: string): string[] {
  const names = [...message.matchAll(/\{\s*(\w+)\s*(?=[,}])|<\/?(\d+)\/?>/g)];
  return [...new Set(names.map(([, name, tag]) => name ?? `<${tag}>`))].sort();
}

const catalogs = await Promise.all(
  (await getCatalogs(config)).map(async (catalog) => {
    const found = await catalog.collect();
    if (!found) throw new Error('a source file could not be read for its texts');
    const used = Object.entries(found).map(([id, { message }]) => ({ id, message: message ?? id }));
    const stored = async (locale: string): Promise<CatalogType> => (await catalog.read(locale)) ?? {};
    return { name: basename(catalog.path), found, used, stored };
  }),
);

describe.each(catalogs)('catalog $name', ({ found, used, stored }) => {
  test('the sources have texts', () => {
    expect(used.length).toBeGreaterThan(0);
  });

  test.each([...config.locales])('%s has every text and no others', async (locale) => {
    const texts = await stored(locale);
    const missing = used.filter(({ id }) => texts[id] === undefined || texts[id].obsolete);
    expect(missing, remedy).toEqual([]);
    const left = Object.keys(texts).filter((id) => !(id in found));
    expect(
      left.map((id) => texts[id]?.message ?? id),
      remedy,
    ).toEqual([]);
  });

  test('every text is translated', async () => {
    const texts = await stored('zh');
    const untranslated = used.filter(({ id }) => !texts[id]?.translation);
    expect(untranslated, remedy).toEqual([]);
  });

  test('a translation keeps the placeholders', async () => {
    const texts = await stored('zh');
    const changed = used.filter(({ id, message }) => {
      const translation = texts[id]?.translation;
      return translation && placeholders(translation).join() !== placeholders(String(message)).join();
    });
    expect(changed).toEqual([]);
  });
});

test('placeholders are found in every form', () => {
  expect(placeholders('{name} has {count, plural, one {# of {total}} other {#}} <0>here</0>')).toEqual([
    '<0>',
    'count',
    'name',
    'total',
  ]);
});

/** Parts of the frame that load the texts of `pages` with their code. */
const withOwnTexts = [
  ...['TaskPanel.tsx', 'announce-ends.ts'].map((name) => `web/src/shared/tasks/${name}`),
  'web/src/shell/palette/CommandPalette.tsx',
];

/** Files that run before any page except the dashboard is opened: other pages load their own texts. */
function firstLoad(): Set<string> {
  const isOtherPage = (to: string) => /\/features\/.*Page\.tsx$/.test(to) && !to.includes('/dashboard/');
  const seen = new Set<string>();
  const open = ['web/src/main.tsx'];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const imports = importsOf(path, readFileSync(join(root, path), 'utf8')).filter(({ typeOnly }) => !typeOnly);
    open.push(
      ...imports.flatMap(({ to }) =>
        /^web\/src\/.*\.tsx?$/.test(to) && !isOtherPage(to) && !withOwnTexts.includes(to) ? [to] : [],
      ),
    );
  }
  return seen;
}

test('the first load has the texts of everything it shows', async () => {
  const [entry, inside] = catalogs;
  const own = new Set([...Object.keys(entry?.found ?? {}), ...Object.keys(inside?.found ?? {})]);
  const pages = catalogs[2]?.found ?? {};
  const files = firstLoad();
  const missing = Object.entries(pages).filter(
    ([id, { origin }]) => !own.has(id) && origin?.some(([file]) => files.has(file)),
  );
  expect(files.size).toBeGreaterThan(50);
  expect(missing.map(([id, { message }]) => message ?? id)).toEqual([]);
});
