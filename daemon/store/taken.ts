import { brokenUniqueness } from './constraint.ts';

/** Runs `work`; when it breaks a uniqueness rule, the refusal of that `table.column` is thrown in its place. */
export function refuseTaken<T>(refusals: Readonly<Record<string, () => Error>>, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw refusals[brokenUniqueness(error) ?? '']?.() ?? error;
  }
}
