import { expect, test } from 'bun:test';
import { readDeviceList } from './device-csv.ts';

test('lines are read as address, user, password and name', () => {
  const text =
    'Address,User,Password,Name\n192.168.1.20\n\n# stage\ncam.lan:8080; Admin; s3cret; Cam 2\n10.0.0.1\tAdmin\tx';
  expect(readDeviceList(text)).toEqual({
    devices: [
      { address: '192.168.1.20', user: '', password: '', name: '' },
      { address: 'cam.lan:8080', user: 'Admin', password: 's3cret', name: 'Cam 2' },
      { address: '10.0.0.1', user: 'Admin', password: 'x', name: '' },
    ],
  });
});

test('a value in double quotes may contain a comma and quotes', () => {
  expect(readDeviceList('10.0.0.1,Admin,"a,""b""",Cam').devices[0]).toMatchObject({ password: 'a,"b"', name: 'Cam' });
});

test('the first wrong line is named with the rule', () => {
  expect(readDeviceList('10.0.0.1\nhttp://10.0.0.2/path').fault).toMatchObject({ line: 2, rule: 'deviceAddress' });
});

test('more devices than one call takes are refused', () => {
  const lines = Array.from({ length: 65 }, (_, at) => `10.0.0.${at}`).join('\n');
  expect(readDeviceList(lines).fault).toEqual({ line: 65, rule: 'atMost:64' });
});
