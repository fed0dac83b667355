import { expect, test } from 'bun:test';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import { inputFilters, outputFilters } from './run-filters.ts';
import { inputRuns, outputRuns } from './runs.ts';

const input = (id: number, state: number) => ({ id, 'conn-state': state });
const channel = (config: object, rest: object) =>
  ({ config: { enable: true, ...config }, outputs: { list: [] }, ...rest }) as unknown as Channel;
const statesOf = (channels: Channel[]) => [...inputRuns(channels)].map(([id, run]) => [id, run['conn-state']]);

test('an input is found in its channel, as main input and as backup; a publisher is none', () => {
  const channels = [
    channel({}, { input: input(7, 10) }),
    channel({}, { input: input(8, 10), failover: { main: input(8, 10), backup: input(9, 22) } }),
    channel({}, { input: input(0, 10) }),
  ];
  expect(statesOf(channels)).toEqual([
    [7, 10],
    [8, 10],
    [9, 22],
  ]);
});

test('of several channels with the same input, the one that receives counts, and a stopped one does not', () => {
  expect(statesOf([channel({}, { input: input(7, 22) }), channel({}, { input: input(7, 10) })])).toEqual([[7, 10]]);
  expect(statesOf([channel({}, { input: input(7, 10) }), channel({}, { input: input(7, 22) })])).toEqual([[7, 10]]);
  expect(statesOf([channel({ enable: false }, { input: input(7, 0) })])).toEqual([]);
});

test('each input and output is counted under exactly one state', () => {
  const runs = [undefined, ...[0, 1, 2, 10, 20, 27].map((state) => ({ 'conn-state': state }))];
  const counted = (filters: typeof inputFilters, items: Parameters<(typeof inputFilters)[number]['has']>[0][]) =>
    items.map((item) => filters.filter(({ has }) => has(item)).map(({ key }) => key));
  expect(
    counted(
      inputFilters,
      runs.map((run) => ({ run })),
    ),
  ).toEqual([['unused'], ['waiting'], ['waiting'], ['waiting'], ['running'], ['failed'], ['failed']]);
  const off = { 'conn-state': 22, enable: false };
  expect(counted(outputFilters, [{ run: off }, { run: { ...off, enable: true } }])).toEqual([['stopped'], ['failed']]);
});

test('an output is found by its id', () => {
  const list = [{ id: 11, 'conn-state': 10 }];
  expect(outputRuns([channel({}, { outputs: { list } })]).get(11)?.['conn-state']).toBe(10);
});
