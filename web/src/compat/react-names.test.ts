/** The shipped bundle has preact in place of React: every name that our dependencies import must exist there. */
import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as compat from './react.ts';

const modules = join(import.meta.dir, '../../../node_modules');
/** ES modules of the packages in the bundle that import from react. */
const packages = [
  '@mantine/core/esm',
  '@mantine/form/esm',
  '@mantine/hooks/esm',
  '@tanstack/react-query/build/modern',
  '@tabler/icons-react/dist/esm/createReactComponent.mjs',
  '@lingui/react/dist',
  'react-router/dist/production',
  'zustand/esm',
];
/** Used by parts that the bundle leaves out, or only probed. */
const unused = new Set(['cache', 'captureOwnerStack']);

function sources(path: string): string[] {
  const full = join(modules, path);
  if (/\.m?js$/.test(path)) return [readFileSync(full, 'utf8')];
  const names = readdirSync(full, { recursive: true }) as string[];
  return names.filter((name) => /\.m?js$/.test(name)).map((name) => readFileSync(join(full, name), 'utf8'));
}

function importedNames(source: string): string[] {
  const lists = [...source.matchAll(/import\s*(?:\w+\s*,\s*)?\{([^}]*)\}\s*from\s*["']react["']/g)];
  return lists.flatMap(([, list = '']) => list.split(',').map((name) => name.trim().split(/\s+as\s+/)[0] ?? ''));
}

test.each(packages)('%s finds all its imports', (name) => {
  const wanted = new Set(
    sources(name)
      .flatMap(importedNames)
      .filter((one) => one !== '' && !unused.has(one)),
  );
  const missing = [...wanted].filter((one) => !(one in compat));
  expect(missing).toEqual([]);
});
