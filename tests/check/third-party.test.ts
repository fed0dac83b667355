/** The page About names every package that the product contains, with the license that the package states. */
import { expect, test } from 'bun:test';
import { packages } from '../../web/src/features/about/third-party.ts';
import { isTypeScript, projectFiles, read } from './source-files.ts';

/** The console is written against React and shipped with preact. */
const replaced: Readonly<Record<string, string>> = { react: 'preact', 'react-dom': 'preact' };

/** Packages that the sources of the product import, other than as types. */
function imported(): string[] {
  const sources = projectFiles().filter(
    (path) => isTypeScript(path) && /^(daemon|web\/src)\//.test(path) && !/test/.test(path),
  );
  const found = sources.flatMap((path) => [
    ...read(path).matchAll(/^(?:import|export) (?!type )[^;]*?from '([^'.][^']*)';|\bimport\('([^'.][^']*)'\)/gm),
  ]);
  const names = found
    .map(([, stated, loaded]) => stated ?? loaded ?? '')
    .filter((name) => !/^(node|bun)(:|$)/.test(name))
    .map((name) =>
      name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/'),
    );
  return [...new Set(names.map((name) => replaced[name] ?? name))].toSorted();
}

test('every imported package is listed, and no other', () => {
  expect(packages.map(({ name }) => name)).toEqual(imported());
});

test.each(packages)('$name has the stated license', async ({ name, license }) => {
  const manifest = JSON.parse(read(`node_modules/${name}/package.json`)) as { license: string };
  expect(license).toBe(manifest.license.replace(/^\((.+)\)$/, '$1'));
});
