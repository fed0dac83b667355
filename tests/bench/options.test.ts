import { describe, expect, test } from 'bun:test';
import { readOptions, rowIds } from './options.ts';

describe('options of the bench', () => {
  test('nothing given is the full bench', () => {
    expect(readOptions([])).toMatchObject({
      isQuick: false,
      only: rowIds,
      readers: [1, 4, 16, 64],
      repeat: 2,
      name: 'full',
    });
  });

  test('quick leaves 4 and 64 readers out', () => {
    expect(readOptions(['--quick'])).toMatchObject({ isQuick: true, readers: [1, 16], repeat: 2, name: 'quick' });
  });

  test('rows and readers can be chosen', () => {
    expect(readOptions(['--only', 'rtmp,udp', '--n', '1,16'])).toMatchObject({
      only: ['rtmp', 'udp'],
      readers: [1, 16],
    });
  });

  test('figures of other suites are kept where that is asked for', () => {
    expect(readOptions([])).toMatchObject({ isAdded: false });
    expect(readOptions(['--add', '--only', 'srt'])).toMatchObject({ isAdded: true, only: ['srt'], name: 'full' });
  });

  test.each([
    [['--only', 'ndi'], 'no row "ndi"'],
    [['--n', '0'], 'number from 1'],
    [['--n', 'many'], 'number from 1'],
    [['--name', '../../x'], 'no file name'],
    [['--quik'], '--quik'],
  ])('%p is refused with a reason', (argv, reason) => {
    expect(() => readOptions(argv)).toThrow(reason);
  });
});
