import { expect, test } from 'bun:test';
import type { Holding, Sample } from './sample.ts';
import { growths } from './verdict.ts';

const megabyte = 1024 * 1024;

function series(engine: (second: number) => Partial<Holding>, zombies = 0): Sample[] {
  const calm = { memoryBytes: 60 * megabyte, descriptors: 30, threads: 12 };
  return Array.from({ length: 61 }, (_, i) => i * 5).map((second) => ({
    second,
    holdings: { hub: calm, engine: { ...calm, ...engine(second) }, endpoints: calm },
    zombies,
  }));
}

const grown = (samples: Sample[]): string[] => growths(samples).flatMap(({ what, isFlat }) => (isFlat ? [] : [what]));

test('constant figures are flat, and so is a heap that fills and is collected', () => {
  expect(grown(series(() => ({})))).toEqual([]);
  expect(grown(series((second) => ({ memoryBytes: (60 + (second % 40)) * megabyte })))).toEqual([]);
});

test('memory that increases every second is growth', () => {
  expect(grown(series((second) => ({ memoryBytes: (60 + second / 5) * megabyte })))).toEqual(['engine: memory, MB']);
});

test('a descriptor lost every half minute is growth, and so is a thread', () => {
  expect(grown(series((second) => ({ descriptors: 30 + Math.floor(second / 30) })))).toEqual(['engine: descriptors']);
  expect(grown(series((second) => ({ threads: 12 + Math.floor(second / 30) })))).toEqual(['engine: threads']);
});

test('one remaining zombie is one too many', () => {
  expect(grown(series(() => ({}), 1))).toEqual(['zombies']);
});
