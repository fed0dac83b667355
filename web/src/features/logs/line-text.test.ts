import { expect, test } from 'bun:test';
import { linePartsOf } from './line-text.ts';

test('the objects of a line are found, and its durations get a unit', () => {
  expect(linePartsOf('channel 100001 output 11003: the host refused reason=refused retryInMs=27256')).toEqual([
    { is: 'channel', id: 100_001, text: 'channel 100001' },
    { is: 'text', text: ' ' },
    { is: 'output', id: 11_003, text: 'output 11003' },
    { is: 'text', text: ': the host refused reason=refused retryIn=27.3 s' },
  ]);
  expect(linePartsOf('player refused channel=100002 afterMs=250')).toEqual([
    { is: 'text', text: 'player refused ' },
    { is: 'channel', id: 100_002, text: 'channel=100002' },
    { is: 'text', text: ' after=250 ms' },
  ]);
});

test('a line without any of them stays as it is', () => {
  expect(linePartsOf('hub is ready ms=800 channels=3')).toEqual([
    { is: 'text', text: 'hub is ready ms=800 channels=3' },
  ]);
  expect(linePartsOf('')).toEqual([]);
});
