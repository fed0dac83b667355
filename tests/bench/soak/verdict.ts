/** Checks whether any resource grows. */
import { type Holding, type ProcessName, processNames, type Sample } from './sample.ts';

export interface Growth {
  readonly what: string;
  readonly early: number;
  readonly late: number;
  readonly limit: number;
  readonly isFlat: boolean;
}

interface Kind {
  readonly of: keyof Holding;
  readonly title: string;
  readonly unit: number;
  /** How much the late figure may exceed the early one. */
  readonly room: (early: number) => number;
}

const mebibyte = 1024 * 1024;
const kinds: readonly Kind[] = [
  // A heap may still settle; a leak per player is far above this after some hundred players.
  { of: 'memoryBytes', title: 'memory, MB', unit: mebibyte, room: (early) => 8 + early * 0.15 },
  { of: 'descriptors', title: 'descriptors', unit: 1, room: () => 4 },
  { of: 'threads', title: 'threads', unit: 1, room: () => 4 },
];

/**
 * Compares the lowest figure of the second quarter with the lowest of the last: resources of current connections and
 * uncollected garbage come and go, and only a leak raises the minimum. The first quarter is for warm-up.
 */
export function growths(samples: readonly Sample[]): Growth[] {
  const last = samples.at(-1)?.second ?? 0;
  const lowest = (from: number, to: number, figure: (sample: Sample) => number): number =>
    Math.min(...samples.filter(({ second }) => second >= from * last && second <= to * last).map(figure));
  const compare = (name: ProcessName, { of, title, unit, room }: Kind): Growth => {
    const figure = ({ holdings }: Sample): number => holdings[name][of] / unit;
    const [early, late] = [lowest(0.25, 0.5, figure), lowest(0.75, 1, figure)];
    const limit = early + room(early);
    return { what: `${name}: ${title}`, early, late, limit, isFlat: late <= limit };
  };
  const zombies = {
    what: 'zombies',
    early: lowest(0.25, 0.5, (sample) => sample.zombies),
    late: lowest(0.75, 1, (sample) => sample.zombies),
    limit: 0,
  };
  return [
    ...processNames.flatMap((name) => kinds.map((kind) => compare(name, kind))),
    { ...zombies, isFlat: zombies.late === 0 },
  ];
}
