import { expect, test } from 'bun:test';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './jobs.ts';
import { quickFiles, quickGrep, quickProof, quickTitles } from './quick.ts';

/** It has no user yet: its own unit test covers it. */
const withoutUser = ['visibility'];

test('each feature of the hub is covered by the quick suite', () => {
  const features = readdirSync(join(root, 'daemon/features')).filter((name) => !withoutUser.includes(name));
  expect(features.filter((name) => !(name in quickProof))).toEqual([]);
});

test('the quick suite names tests that exist, each browser test once', () => {
  for (const file of quickFiles) expect(readFileSync(join(root, file), 'utf8')).toContain('test(');
  const browserTests = globSync('tests/e2e/*.e2e.ts', { cwd: root })
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n');
  const named = [...browserTests.matchAll(/\btest\(\s*'([^']+)'/g)].map(([, title = '']) => title);
  expect(quickTitles.filter((title) => named.filter((name) => name === title).length !== 1)).toEqual([]);
  const chosen = new RegExp(quickGrep);
  expect(named.filter((name) => chosen.test(name)).length).toBe(quickTitles.length);
});
