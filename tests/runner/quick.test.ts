import { expect, test } from 'bun:test';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './jobs.ts';
import { quickFiles, quickGrep, quickProof, quickTitles } from './quick.ts';

/** Features that the hub does not use yet; their unit tests cover them. */
const withoutUser = ['visibility'];

test('the quick suite covers each feature of the hub', () => {
  const folders = readdirSync(join(root, 'daemon/features'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  const features = folders.map(({ name }) => name).filter((name) => !withoutUser.includes(name));
  expect(features.filter((name) => !(name in quickProof))).toEqual([]);
});

test('the quick suite names existing tests, and each browser title matches one test', () => {
  for (const file of quickFiles) expect(readFileSync(join(root, file), 'utf8')).toContain('test(');
  const browserTests = globSync('tests/e2e/*.e2e.ts', { cwd: root })
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n');
  const named = [...browserTests.matchAll(/\btest\(\s*'([^']+)'/g)].map(([, title = '']) => title);
  expect(quickTitles.filter((title) => named.filter((name) => name === title).length !== 1)).toEqual([]);
  const chosen = new RegExp(quickGrep);
  expect(named.filter((name) => chosen.test(name)).length).toBe(quickTitles.length);
});
