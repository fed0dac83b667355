/** What the documents say about the code, compared with the code. */
import { describe, expect, test } from 'bun:test';
import packageJson from '../../package.json';
import { read } from './source-files.ts';

/** Cells of the rows of a Markdown table whose first cell is in backticks. */
function tableRows(markdown: string): string[][] {
  return [...markdown.matchAll(/^\| `([^`]+)` \|(.*)\|$/gm)].map(([, name = '', rest = '']) => [
    name,
    ...rest.split('|').map((cell) => cell.trim()),
  ]);
}

describe('docs/versions.md', () => {
  const installed: Record<string, string> = { ...packageJson.dependencies, ...packageJson.devDependencies };
  installed.bun = packageJson.packageManager.replace('bun@', '');
  const rows = tableRows(read('docs/versions.md'));

  test.each(rows.map(([name = '', version = '']) => [name, version]))('%s is %s', (name, version) => {
    expect(installed[name]).toBe(version);
  });

  test('every version in package.json is exact', () => {
    expect(rows.length).toBeGreaterThan(10);
    expect(Object.entries(installed).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });
});
