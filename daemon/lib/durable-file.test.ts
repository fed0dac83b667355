import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { replaceFile } from './durable-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-durable-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a file is replaced as a whole, for its owner only, and leaves no other file', () => {
  const path = join(folder, 'key');
  replaceFile(path, 'the first content, which is longer');
  replaceFile(path, Uint8Array.of(0, 1, 255));
  expect([...readFileSync(path)]).toEqual([0, 1, 255]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['key']);
});

test('a content that cannot be written leaves the old file', () => {
  const path = join(folder, 'key');
  replaceFile(path, 'old');
  expect(() => replaceFile(path, 7 as never)).toThrow();
  expect(readFileSync(path, 'utf8')).toBe('old');
});
