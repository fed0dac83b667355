import { beforeEach, expect, test } from 'bun:test';
import type { Firmware } from '../../../../../daemon/contract/firmware.ts';
import { forgetFile, isFileOf, keepFile } from './known-files.ts';
import { faultOfFile, needsNoAnswer, productOfName, sameVersion } from './questions.ts';
import { createRate } from './rate.ts';

const present = { 'product-id': 787, 'hardware-ver': 'B', version: '2.4.288' } as Firmware;

test('only what the name does not say is asked, and before something is replaced', () => {
  expect(needsNoAnswer('firmware-787-0-B-2.5.1.mwf', [present])).toBe(true);
  expect(needsNoAnswer('firmware-787-0-B-2.4.288.mwf', [present])).toBe(false);
  expect(needsNoAnswer('firmware-787-1-B-2.5.1.mwf', [])).toBe(false);
  expect(needsNoAnswer('ultra_encode_aio_gen2_rev_b_2_4_288.mwf', [])).toBe(false);
  expect(sameVersion([present], { productId: 787, hardware: 'b', version: '2.4.288.0' })).toBe(present);
  expect(sameVersion([present], { productId: 787, hardware: 'A', version: '2.4.288' })).toBeUndefined();
});

test('a file of another kind, an empty and a too large one are refused', () => {
  expect(faultOfFile({ name: 'a.MWF', size: 1 })).toBeUndefined();
  expect(faultOfFile({ name: 'a.zip', size: 1 })).toBe('otherType');
  expect(faultOfFile({ name: 'a.mwf', size: 0 })).toBe('empty');
  expect(faultOfFile({ name: 'a.mwf', size: 3 * 1024 ** 3 })).toBe('tooLarge');
});

test('the product is guessed from the model with the longest name', () => {
  const product = (id: number, name: string) => ({ 'product-id': id, name, module: 2, 'hardware-ver': [] });
  const products = [product(1, 'Ultra Encode'), product(787, 'Ultra Encode AIO'), product(3, '')];
  expect(productOfName('ultra_encode_aio_gen2_rev_b_2_4_288.mwf', products)?.['product-id']).toBe(787);
  expect(productOfName('usb_fusion_rev_a_2_5_0.mwf', products)).toBeUndefined();
});

beforeEach(() => localStorage.clear());

test('only the file that an upload began with continues it', () => {
  const file = { name: 'a.mwf', size: 10, lastModified: 5 };
  const task = { id: 3, subject: 'a.mwf', total: 10 };
  expect(isFileOf(task, file)).toBe(true);
  keepFile(3, file);
  expect(isFileOf(task, file)).toBe(true);
  expect(isFileOf(task, { ...file, lastModified: 6 })).toBe(false);
  expect(isFileOf(task, { ...file, size: 11 })).toBe(false);
  // A hub that was reset uses its ids again.
  expect(isFileOf({ ...task, subject: 'b.mwf' }, { ...file, name: 'b.mwf', lastModified: 6 })).toBe(true);
  forgetFile(3);
  expect(isFileOf(task, { ...file, lastModified: 6 })).toBe(true);
});

test('the rate is that of the last seconds', () => {
  let now = 0;
  const rate = createRate(() => now);
  expect(rate.add(0)).toBeUndefined();
  now = 1000;
  expect(rate.add(1000)).toBe(1000);
  for (const second of [2, 3, 4, 5, 6, 7, 8, 9, 10]) {
    now = second * 1000;
    rate.add(1000 + (second - 1) * 4000);
  }
  now = 11_000;
  expect(rate.add(1000 + 10 * 4000)).toBe(4000);
});
