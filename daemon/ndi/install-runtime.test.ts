import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../lib/log.ts';
import { libraryFile } from './elf-for-test.ts';
import { ownRuntimeFolder } from './find-runtime.ts';
import { installRuntime } from './install-runtime.ts';
import { ndiProtocol } from './messages.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ndi-install-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const [good, bad] = [1, 2];

/** In the place of the process that loads the library: takes a while, and refuses the bad one by its last byte. */
const probe = (library: string) => `
  const mark = require('node:fs').readFileSync(${JSON.stringify(library)}).at(-1);
  const hello = { type: 'hello', protocol: ${ndiProtocol}, version: '6.' + mark, isSimulator: false, groups: [] };
  const fault = { type: 'fault', fault: 'notLoadable', detail: '' };
  setTimeout(() => process.send(mark === ${bad} ? fault : hello), 300);
  setInterval(() => {}, 1000);
`;

function install(mark: number): Promise<string> {
  const path = join(folder, `upload-${mark}`);
  writeFileSync(
    path,
    libraryFile((file) => void file.writeUInt8(mark, file.length - 1)),
  );
  const command = (library: string) => [process.execPath, '-e', probe(library)];
  return installRuntime(path, { dataDir: folder, log: createLog('error', () => {}), command });
}

test('of two uploads at the same time, only the one that was tested is installed', async () => {
  const [first, second] = await Promise.allSettled([install(good), install(bad)]);
  expect(first).toEqual({ status: 'fulfilled', value: '6.1' });
  expect(second).toMatchObject({ status: 'rejected', reason: { result: 'verifyFailed' } });
  expect(readFileSync(join(ownRuntimeFolder(folder), 'libndi.so.6')).at(-1)).toBe(good);
});
