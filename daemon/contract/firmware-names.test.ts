import { expect, test } from 'bun:test';
import { compareVersions, firmwareFileName, readFirmwareName } from './firmware-names.ts';

test('a published name says what the file is for', () => {
  const wanted = { productId: 787, firmwareId: 0, hardware: 'B', version: '2.4.288' };
  expect(readFirmwareName('firmware-787-0-B-2.4.288.mwf')).toEqual(wanted);
  expect(readFirmwareName('Firmware-787-0-b-2.4.288 (1).MWF')).toEqual(wanted);
  expect(firmwareFileName(wanted)).toBe('firmware-787-0-B-2.4.288.mwf');
});

test('a name from a download page has hardware and version, and says whether it is a test build', () => {
  expect(readFirmwareName('ultra_encode_aio_gen2_rev_b_2_4_288.mwf')).toEqual({ hardware: 'B', version: '2.4.288' });
  expect(readFirmwareName('pro_convert_beta_rev_a_1_1_296.mwf')).toEqual({
    hardware: 'A',
    version: '1.1.296',
    firmwareId: 1,
  });
  expect(readFirmwareName('latest-test.mwf')).toEqual({ firmwareId: 1 });
});

test('any other name says nothing', () => {
  for (const name of ['update.mwf', 'firmware-787-0-B-2.4.288.bin', 'firmware-787-0-BB-2.4.mwf', '固件.mwf', '']) {
    expect(readFirmwareName(name)).toEqual({});
  }
});

test('versions compare by up to four numbers', () => {
  expect(compareVersions('2.4.288', '2.4.30')).toBeGreaterThan(0);
  expect(compareVersions('2.4', '2.4.0.0')).toBe(0);
  expect(compareVersions('1.9.9.9', '1.10')).toBeLessThan(0);
  expect(compareVersions('1.1.1.1.5', '1.1.1.1.4')).toBe(0);
  expect(compareVersions('', '0')).toBe(0);
});
