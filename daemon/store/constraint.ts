/**
 * Returns the column of a broken uniqueness rule as `table.column`, such as `channels.name`, or undefined for others.
 * A key that a channel already uses in the other role is also reported as `channels.play_key` or `channels.push_key`.
 */
export function brokenUniqueness(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const [, column] = /^UNIQUE constraint failed: ([\w.]+)/.exec(cause.message) ?? [];
    if (column !== undefined) return column;
  }
  return undefined;
}

/** Runs `work`; if it breaks a uniqueness rule, throws the error for that `table.column` instead. */
export function refuseTaken<T>(refusals: Readonly<Record<string, () => Error>>, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw refusals[brokenUniqueness(error) ?? '']?.() ?? error;
  }
}
