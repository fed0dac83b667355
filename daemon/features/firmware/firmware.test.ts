import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StatedFirmware } from '../../contract/firmware.ts';
import { limits } from '../../contract/limits.ts';
import { createLog } from '../../lib/log.ts';
import type { Database } from '../../store/database.ts';
import { memoryDatabase } from '../../store/memory-database-for-test.ts';
import { firmwareFiles, operationLog } from '../../store/schema.ts';
import { createAudit } from '../logs/audit.ts';
import { type FirmwareLibrary, openFirmwareLibrary, type ReceivedFile } from './library.ts';
import { infoOf, targetOf } from './stated.ts';

const actor = { name: 'ann', ip: '192.0.2.7' };
const name = 'firmware-787-0-B-2.4.288.mwf';

let root: string;
let db: Database;
let library: FirmwareLibrary;
const folder = () => join(root, 'firmware');
const filesOf = () => readdirSync(folder());

async function open(): Promise<void> {
  const options = { db, audit: createAudit(Date.now), log: createLog('error'), now: () => 1_700_000_000_000 };
  library = await openFirmwareLibrary({ ...options, folder: folder() });
}

/** An upload whose file is complete. */
function received(content: string, as = name): ReceivedFile {
  const path = join(root, 'uploads', crypto.randomUUID());
  writeFileSync(path, content);
  const sha256 = new Bun.CryptoHasher('sha256').update(content).digest('hex');
  return { path, name: as, size: content.length, sha256 };
}
const add = (content: string, as = name, stated: StatedFirmware = {}) =>
  library.add(actor, received(content, as), stated);

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'firmware-'));
  mkdirSync(join(root, 'uploads'));
  db = memoryDatabase();
  await open();
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('what a file is for', () => {
  test('is in its name, or stated, in any case of letters and with leading zeros', () => {
    const target = { productId: 787, firmwareId: 0, hardware: 'B', version: '2.4.288' };
    expect(targetOf(name, {})).toEqual(target);
    expect(targetOf('a.MWF', { 'product-id': 787, 'hardware-ver': 'b', version: '02.4.288' })).toEqual(target);
    expect(targetOf('encode_rev_b_2_4_288.mwf', { 'product-id': 787 })).toEqual(target);
  });

  test('may be stated again, but not otherwise', () => {
    expect(targetOf(name, { 'product-id': 787, 'hardware-ver': 'b', version: '2.4.288.0' })).toMatchObject({
      version: '2.4.288',
    });
    expect(() => targetOf(name, { 'product-id': 770 })).toThrow(
      expect.objectContaining({
        result: 'invalidArgument',
        message: 'product-id: 770, but the name of the file contains 787',
        fields: [expect.objectContaining({ path: 'product-id', rule: 'otherName' })],
      }) as Error,
    );
  });

  test('is asked for, each missing member by its name', () => {
    expect(() => targetOf('update.mwf', {})).toThrow(
      expect.objectContaining({
        fields: ['product-id', 'hardware-ver', 'version'].map((path) =>
          expect.objectContaining({ path, rule: 'required' }),
        ),
      }) as Error,
    );
  });

  test('needs the ending of firmware files', () => {
    expect(() => targetOf('firmware-787-0-B-2.4.288.bin', {})).toThrow(
      expect.objectContaining({ result: 'fileTypeError' }) as Error,
    );
  });

  test('is also a declaration to accept, for a test build', () => {
    const beta = 'firmware-787-1-B-2.5.1.mwf';
    const refusal = expect.objectContaining({
      fields: [expect.objectContaining({ path: 'accept-pre-release', rule: 'preRelease' })],
    });
    expect(() => targetOf(beta, {})).toThrow(refusal as Error);
    expect(targetOf(beta, { 'accept-pre-release': true })).toMatchObject({ firmwareId: 1 });
    expect(infoOf(beta)).toEqual({
      ...{ 'product-id': 787, 'firmware-id': 1, 'hardware-ver': 'B', version: '2.5.1' },
      ...{ 'marjor-ver': 2, 'minor-ver': 5, 'build-number': 1, 'is-pre-release': true },
    });
  });
});

describe('the library', () => {
  test('has a file once it is added, with its content, and tells who added it', async () => {
    const id = await add('one');
    const { path, ...file } = library.find(id);
    expect(readFileSync(path, 'utf8')).toBe('one');
    expect(file).toMatchObject({ id, fileName: name, productId: 787, hardware: 'B', version: '2.4.288', size: 3 });
    expect(library.rows()).toMatchObject([{ uploadedBy: 'ann', uploadedAt: 1_700_000_000_000, acceptedBy: '' }]);
    const [entry] = db.select().from(operationLog).all();
    expect(entry).toMatchObject({ action: 'firmware.add', user: 'ann', subject: name });
    expect(entry?.detail).toContain(file.sha256);
  });

  test('keeps a file whose upload is removed', async () => {
    const upload = received('one');
    const id = await library.add(actor, upload, {});
    rmSync(upload.path);
    expect(readFileSync(library.find(id).path, 'utf8')).toBe('one');
  });

  test('has a file once that is added twice at the same time', async () => {
    const upload = received('one');
    const [first, second] = await Promise.all([library.add(actor, upload, {}), library.add(actor, upload, {})]);
    expect(second).toBe(first);
    expect([library.rows().length, filesOf().length]).toEqual([1, 1]);
  });

  test('notes who accepted the declaration about a pre-release', async () => {
    await add('beta', 'firmware-787-1-B-2.5.1.mwf', { 'accept-pre-release': true });
    expect(library.rows()).toMatchObject([{ acceptedBy: 'ann' }]);
    expect(db.select().from(operationLog).all()[0]?.detail).toContain('pre-release accepted');
  });

  test('refuses the same content twice, whatever its name', async () => {
    await add('one');
    const again = add('one', 'firmware-770-0-A-1.0.0.mwf');
    await expect(again).rejects.toMatchObject({ result: 'objectExists', params: { what: name }, fields: undefined });
    expect([library.rows().length, filesOf().length]).toEqual([1, 1]);
  });

  test('asks before another content replaces a version, and then has the new one alone', async () => {
    const first = await add('one');
    const refusal = { result: 'objectExists', fields: [{ path: 'replace', rule: 'exists' }] };
    await expect(add('two')).rejects.toMatchObject(refusal);
    expect(() => library.refuseEarly(name, {})).toThrow(expect.objectContaining({ result: 'objectExists' }) as Error);
    const second = await add('two', name, { replace: true });
    expect(second).not.toBe(first);
    expect(() => library.find(first)).toThrow(expect.objectContaining({ result: 'notExist' }) as Error);
    expect([readFileSync(library.find(second).path, 'utf8'), filesOf().length]).toEqual(['two', 1]);
  });

  test('neither deletes nor replaces a file in use, and says what uses it', async () => {
    const id = await add('one');
    const release = library.hold(id, 'Upgrade of “Studio A”');
    const refusal = { result: 'objectBusy', params: { what: name, by: 'Upgrade of “Studio A”' } };
    await expect(library.del(actor, [id])).rejects.toMatchObject(refusal);
    await expect(add('two', name, { replace: true })).rejects.toMatchObject(refusal);
    expect(library.usersOf(id)).toEqual(['Upgrade of “Studio A”']);
    expect(filesOf()).toHaveLength(1);
    release();
    release();
    await library.del(actor, [id]);
    expect([library.rows(), filesOf()]).toEqual([[], []]);
    expect(db.select().from(operationLog).all().at(-1)).toMatchObject({ action: 'firmware.del', subject: name });
  });

  test('deletes all of several or none', async () => {
    const ids = [await add('one'), await add('two', 'firmware-770-0-A-1.0.0.mwf')];
    await expect(library.del(actor, [...ids, 99])).rejects.toMatchObject({ result: 'notExist' });
    expect(filesOf()).toHaveLength(2);
    await library.del(actor, ids);
    expect(filesOf()).toEqual([]);
  });

  test('holds a limited number of files', async () => {
    const row = { firmwareId: 0, hardware: 'A', size: 1, uploadedAt: 0, uploadedBy: '', acceptedBy: '', name: 'x' };
    const rows = Array.from({ length: limits.firmware.count }, (_, at) => ({
      ...{ ...row, productId: 700, version: `1.0.${at}`, sha256: `${at}`, file: `${at}` },
    }));
    db.insert(firmwareFiles).values(rows).run();
    await expect(add('one')).rejects.toMatchObject({ result: 'tooMany', params: { limit: limits.firmware.count } });
    expect(filesOf()).toEqual([]);
  });
});

describe('after a hub was killed', () => {
  test('between file and row, the file is gone, and its upload can be added', async () => {
    const upload = received('one');
    writeFileSync(join(folder(), 'half'), 'of a file');
    await open();
    expect(filesOf()).toEqual([]);
    expect(readFileSync(library.find(await library.add(actor, upload, {})).path, 'utf8')).toBe('one');
  });

  test('after the row was stored, the upload that continues finds its file added', async () => {
    const upload = received('one');
    const id = await library.add(actor, upload, {});
    await open();
    expect(await library.add(actor, upload, {})).toBe(id);
    expect(library.rows()).toHaveLength(1);
  });

  test('between row and file of a delete, the file is gone', async () => {
    const id = await add('one');
    db.delete(firmwareFiles).run();
    await open();
    expect(filesOf()).toEqual([]);
    expect(() => library.find(id)).toThrow();
  });

  test('or restored without its files, the rows are kept and say so', async () => {
    const id = await add('one');
    rmSync(library.find(id).path);
    await open();
    expect([library.isMissing(id), library.rows().length]).toEqual([true, 1]);
    expect(() => library.find(id)).toThrow(expect.objectContaining({ result: 'notExist' }) as Error);
    // The same file, or another one of its version, takes the place of the lost one.
    const again = await add('one', 'firmware-770-0-A-1.0.0.mwf');
    expect([library.rows().map((row) => row.id), readFileSync(library.find(again).path, 'utf8')]).toEqual([
      [again],
      'one',
    ]);
    rmSync(library.find(again).path);
    await open();
    library.refuseEarly('firmware-770-0-A-1.0.0.mwf', {});
    const other = await add('two', 'firmware-770-0-A-1.0.0.mwf');
    expect([library.rows().map((row) => row.id), library.isMissing(other), filesOf().length]).toEqual([
      [other],
      false,
      1,
    ]);
    await library.del(actor, [other]);
    expect(library.rows()).toEqual([]);
  });
});
