import { expect, test } from 'bun:test';
import { hardwareVersion } from './hardware.ts';

const machine = (files: Readonly<Record<string, string>>) =>
  hardwareVersion((path) => {
    const text = files[path];
    if (text === undefined) throw new Error('ENOENT');
    return text;
  });

test('the version of the hardware is that of the board', () => {
  expect(machine({ '/sys/class/dmi/id/board_version': 'Rev 2.01\n' })).toBe('Rev 2.01');
  expect(machine({ '/proc/device-tree/model': 'Raspberry Pi Compute Module 4 Rev 1.1\0' })).toBe(
    'Raspberry Pi Compute Module 4 Rev 1.1',
  );
});

test('a filler is not a version, and neither is nothing', () => {
  for (const filler of ['Default string\n', 'To be filled by O.E.M.\n', 'Not Specified\n', '\n']) {
    expect(machine({ '/sys/class/dmi/id/board_version': filler })).toBeUndefined();
  }
  expect(machine({})).toBeUndefined();
});
