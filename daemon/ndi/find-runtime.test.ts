import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { libraryFile } from './elf-for-test.ts';
import { findRuntime, ownRuntimeFolder } from './find-runtime.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ndi-look-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const put = (name: string, bytes: Uint8Array | string, to = folder) => {
  mkdirSync(to, { recursive: true });
  writeFileSync(join(to, name), bytes);
};
const find = (env: Record<string, string> = {}, dataDir?: string) =>
  findRuntime({ env, folders: [folder], ...(dataDir !== undefined && { dataDir }) });

test('a missing library is reported with the folders that were searched', () => {
  const found = find({ NDI_RUNTIME_DIR_V6: '/nowhere/ndi' }, '/data');
  expect(found).toEqual({ outcome: 'missing', folders: ['/nowhere/ndi', '/data/ndi/runtime', folder] });
});

test('the highest version of the first folder is used: named by the environment, the hub’s own, the system’s', () => {
  for (const name of ['libndi.so.5.6.1', 'libndi.so.6.3.2', 'libndi.so.6', 'libndi.so', 'libndir.so.9']) {
    put(name, libraryFile());
  }
  expect(find()).toEqual({ outcome: 'found', path: join(folder, 'libndi.so.6.3.2') });
  const own = ownRuntimeFolder(folder);
  put('libndi.so.6', libraryFile(), own);
  expect(find({}, folder)).toEqual({ outcome: 'found', path: join(own, 'libndi.so.6') });
  const named = join(folder, 'named');
  put('libndi.so.5', libraryFile(), named);
  expect(find({ NDI_RUNTIME_DIR_V5: named }, folder)).toMatchObject({ path: join(named, 'libndi.so.5') });
});

test.each([
  ['whose sections are cut off', libraryFile((file) => void file.writeBigUInt64LE(4000n, 40)), 'truncated'],
  ['whose segment is cut off', libraryFile((file) => void file.writeBigUInt64LE(5000n, 64 + 32)), 'truncated'],
  ['without its table of segments', libraryFile((file) => void file.writeBigUInt64LE(4090n, 32)), 'truncated'],
  ['for another processor', libraryFile((file) => void file.writeUInt16LE(8, 18)), 'otherMachine'],
  ['of 32 bits', libraryFile((file) => void file.writeUInt8(1, 4)), 'otherMachine'],
  ['that is a program', libraryFile((file) => void file.writeUInt16LE(2, 16)), 'notLibrary'],
  ['that is a text', Buffer.from('INPUT(libndi.so.6)'.padEnd(100)), 'notLibrary'],
  ['that is nearly empty', Buffer.from('x'), 'notLibrary'],
] as const)('a file %s is not loaded', (_, bytes, fault) => {
  put('libndi.so.6', bytes);
  expect(find()).toEqual({ outcome: 'unusable', path: join(folder, 'libndi.so.6'), fault });
});

test('a pipe and a folder with the name of the library are not loaded, and do not block the search', () => {
  const pipe = join(folder, 'libndi.so.6');
  expect(Bun.spawnSync(['mkfifo', pipe]).success).toBe(true);
  expect(find()).toEqual({ outcome: 'unusable', path: pipe, fault: 'notLibrary' });
  rmSync(pipe);
  mkdirSync(pipe);
  expect(find()).toMatchObject({ outcome: 'unusable', path: pipe });
});

test('a valid library is found after an invalid one', () => {
  put('libndi.so.6.9', 'x');
  put('libndi.so.6', libraryFile());
  expect(find()).toMatchObject({ outcome: 'found', path: join(folder, 'libndi.so.6') });
});
