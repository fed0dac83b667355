import { expect, test } from 'bun:test';
import { linkFigures, lossTone } from './link-figures.ts';

test.each([
  [
    'SRT by loss and round trip',
    { 'loss-percent': 0.4, 'rtt-ms': 12, 'buffer-ms': 100, 'pkt-drop': 0 },
    ['loss-percent', 'rtt-ms'],
  ],
  ['RTP by loss and jitter', { 'loss-percent': 0, 'jitter-ms': 2, 'cc-errors': 0 }, ['loss-percent', 'jitter-ms']],
  ['UDP by jitter', { 'jitter-ms': 2, 'cc-errors': 3 }, ['jitter-ms']],
  ['RTMP by its queue', { 'buffer-ms': 40, 'pkt-drop': 0 }, ['buffer-ms']],
  ['a UDP output by what the system did not take', { 'pkt-drop': 1 }, ['pkt-drop']],
  ['nothing by nothing', undefined, []],
] as const)('%s', (_, report, figures) => {
  expect(linkFigures(report).map(({ figure }) => figure)).toEqual([...figures]);
});

test('loss of one percent or more has a color', () => {
  expect([undefined, 0, 0.99, 1, 4.9, 5, 100].map(lossTone)).toEqual([
    ...[undefined, undefined, undefined],
    ...(['warn', 'warn', 'fault', 'fault'] as const),
  ]);
});
