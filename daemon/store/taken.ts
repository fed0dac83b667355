import { brokenUniqueness } from './constraint.ts';

/** Runs `work`; if it breaks a uniqueness rule, throws the error for that `table.column` instead. */
export function refuseTaken<T>(refusals: Readonly<Record<string, () => Error>>, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw refusals[brokenUniqueness(error) ?? '']?.() ?? error;
  }
}
