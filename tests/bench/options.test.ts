import { describe, expect, test } from 'bun:test';
import { readOptions, rowIds } from './options.ts';

describe('options of the bench', () => {
  test('without options the full bench runs', () => {
    expect(readOptions([])).toMatchObject({
      isQuick: false,
      only: rowIds,
      readers: [1, 4, 16, 64],
      repeat: 2,
      name: 'full',
    });
  });

  test('quick omits 4 and 64 readers', () => {
    expect(readOptions(['--quick'])).toMatchObject({ isQuick: true, readers: [1, 16], repeat: 2, name: 'quick' });
  });

  test('rows and readers can be chosen', () => {
    expect(readOptions(['--only', 'rtmp,udp', '--n', '1,16'])).toMatchObject({
      only: ['rtmp', 'udp'],
      readers: [1, 16],
    });
  });

  test('results of other suites are kept on request', () => {
    expect(readOptions([])).toMatchObject({ isAdded: false });
    expect(readOptions(['--add', '--only', 'srt'])).toMatchObject({ isAdded: true, only: ['srt'], name: 'full' });
  });

  test.each([
    [['--only', 'omt'], 'no row "omt"'],
    [['--n', '0'], 'number from 1'],
    [['--n', 'many'], 'number from 1'],
    [['--name', '../../x'], 'no file name'],
    [['--quik'], '--quik'],
  ])('%p is refused with a reason', (argv, reason) => {
    expect(() => readOptions(argv)).toThrow(reason);
  });
});
