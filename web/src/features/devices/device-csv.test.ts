import { expect, test } from 'bun:test';
import { readDeviceList } from './device-csv.ts';

test('lines are read as address, user, password and name', () => {
  const text =
    'Address,User,Password,Name\n192.168.1.20\n\n# stage\ncam.lan:8080; Admin; s3cret; Cam 2\n10.0.0.1\tAdmin\tx';
  const lines = text.split('\n');
  expect(readDeviceList(text)).toEqual({
    devices: [
      { address: '192.168.1.20', user: '', password: '', name: '', pin: '', line: '192.168.1.20' },
      {
        ...{ address: 'cam.lan:8080', user: 'Admin', password: 's3cret', name: 'Cam 2', pin: '' },
        line: lines[4] ?? '',
      },
      { address: '10.0.0.1', user: 'Admin', password: 'x', name: '', pin: '', line: lines[5] ?? '' },
    ],
  });
});

test('a line may have the fingerprint of a certificate, with or without colons', () => {
  const bytes = Array.from({ length: 32 }, (_, at) => at.toString(16).padStart(2, '0'));
  const shown = bytes.join(':').toUpperCase();
  const { devices } = readDeviceList(`10.0.0.1,,,,${shown}\n10.0.0.2,Admin,x,Cam,${bytes.join('')}`);
  expect(devices.map(({ pin }) => pin)).toEqual([bytes.join(''), bytes.join('')]);
  expect(readDeviceList('10.0.0.1,,,,ab:cd').fault).toEqual({ line: 1, rule: 'fingerprint' });
});

test('a value in double quotes may contain a comma and quotes', () => {
  expect(readDeviceList('10.0.0.1,Admin,"a,""b""",Cam').devices[0]).toMatchObject({ password: 'a,"b"', name: 'Cam' });
});

test('an address that the list has twice is one device', () => {
  expect(readDeviceList('10.0.0.1,Admin,x\n10.0.0.2\n10.0.0.1').devices.map(({ address }) => address)).toEqual([
    '10.0.0.1',
    '10.0.0.2',
  ]);
});

test('the first wrong line is named with the rule', () => {
  expect(readDeviceList('10.0.0.1\nhttp://10.0.0.2/path').fault).toMatchObject({ line: 2, rule: 'deviceAddress' });
});

test('a list that is too long is refused', () => {
  const lines = Array.from({ length: 1001 }, (_, at) => `10.0.${at >> 8}.${at & 255}`).join('\n');
  expect(readDeviceList(lines).fault).toEqual({ line: 1001, rule: 'atMost:1000' });
});
