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
