import type { Descriptors } from '../../daemon/engine/net/descriptors.ts';

/** For tests that do not run out of them. */
export const plentyOfDescriptors: Pick<Descriptors, 'refusesPlayer'> = { refusesPlayer: () => undefined };
