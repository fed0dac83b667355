import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataFolderError } from './data-folder.ts';
import { openSecrets } from './secrets.ts';

const dir = mkdtempSync(join(tmpdir(), 'signalbox-secrets-'));
afterAll(() => rmSync(dir, { recursive: true }));

test('a sealed text can be opened only with the same key file', () => {
  const file = join(dir, 'a.key');
  const sealed = openSecrets(file).seal('päss phrase');
  expect(sealed).not.toContain('phrase');
  expect(openSecrets(file).open(sealed)).toBe('päss phrase');
  expect(() => openSecrets(join(dir, 'b.key')).open(sealed)).toThrow();
});

test('the same text is sealed differently each time', () => {
  const secrets = openSecrets(join(dir, 'a.key'));
  expect(secrets.seal('x')).not.toBe(secrets.seal('x'));
});

test('a changed or foreign text is refused', () => {
  const secrets = openSecrets(join(dir, 'a.key'));
  const sealed = secrets.seal('x');
  const last = sealed.at(-3) === 'A' ? 'B' : 'A';
  expect(() => secrets.open(sealed.slice(0, -3) + last + sealed.slice(-2))).toThrow();
  expect(() => secrets.open('plain')).toThrow('unknown form');
  expect(() => secrets.open('v1.AAAA')).toThrow();
});

test('only the owner can read the key file, and a damaged one is reported', () => {
  const file = join(dir, 'c.key');
  openSecrets(file);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  writeFileSync(file, 'short');
  expect(() => openSecrets(file)).toThrow(DataFolderError);
  expect(() => openSecrets(file)).toThrow(/c\.key is no key of 32 bytes; put the right file back/);
});
