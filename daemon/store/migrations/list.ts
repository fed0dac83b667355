import type { Migration } from '../migrate.ts';
import { foundation } from './0001-foundation.ts';

/** In order, without gaps. A migration that was shipped is never changed. */
export const migrations: readonly Migration[] = [foundation];
