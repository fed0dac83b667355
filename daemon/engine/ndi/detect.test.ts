import { afterEach, beforeEach, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { detectNdi, lookText } from './detect.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ndi-look-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A real ELF file of this machine's type that stands in for a library, since only the header is read. */
const own = readFileSync(process.execPath).subarray(0, 64);
/** With its section headers at the end of the file. */
function library(change: (header: Buffer) => void = () => undefined): Buffer {
  const file = Buffer.alloc(4096);
  own.copy(file);
  file.writeBigUInt64LE(1024n, 40);
  file.writeUInt16LE(64, 58);
  file.writeUInt16LE(10, 60);
  change(file);
  return file;
}
const put = (name: string, bytes: Uint8Array | string, to = folder) => writeFileSync(join(to, name), bytes);
const look = (env: Record<string, string> = {}) => detectNdi({ env, folders: [folder] });

test('a missing library is reported with the folders that were searched', () => {
  const found = look({ NDI_RUNTIME_DIR_V6: '/nowhere/ndi' });
  expect(found).toEqual({ outcome: 'missing', folders: ['/nowhere/ndi', folder] });
  expect(lookText(found)).toContain(`/nowhere/ndi, ${folder}`);
});

test('the highest version is used, from the folder that the environment names first', () => {
  for (const name of ['libndi.so.5.6.1', 'libndi.so.6.3.2', 'libndi.so.6', 'libndi.so', 'libndir.so.9']) {
    put(name, library());
  }
  expect(look()).toEqual({ outcome: 'found', path: join(folder, 'libndi.so.6.3.2') });
  const other = join(folder, 'own');
  mkdirSync(other);
  put('libndi.so.5', library(), other);
  expect(look({ NDI_RUNTIME_DIR_V5: other })).toEqual({ outcome: 'found', path: join(other, 'libndi.so.5') });
});

test.each([
  ['cut short', library((file) => void file.writeBigUInt64LE(4000n, 40)), 'cutShort'],
  ['for another processor', library((file) => void file.writeUInt16LE(8, 18)), 'otherMachine'],
  ['of 32 bits', library((file) => void file.writeUInt8(1, 4)), 'otherMachine'],
  ['a text', Buffer.from('INPUT(libndi.so.6)'.padEnd(100)), 'noLibrary'],
  ['nearly empty', Buffer.from('x'), 'noLibrary'],
] as const)('a file that is %s is not loaded', (_, bytes, fault) => {
  put('libndi.so.6', bytes);
  const found = look();
  expect(found).toEqual({ outcome: 'unusable', path: join(folder, 'libndi.so.6'), fault });
  expect(lookText(found)).toContain(join(folder, 'libndi.so.6'));
});

test('a valid library is found after an invalid one', () => {
  put('libndi.so.6.9', 'x');
  put('libndi.so.6', library());
  chmodSync(join(folder, 'libndi.so.6'), 0o644);
  expect(look()).toMatchObject({ outcome: 'found', path: join(folder, 'libndi.so.6') });
});
