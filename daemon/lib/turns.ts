/** Shares a few places among many that want one: the one that has waited longest is next. */

export interface Turn {
  /** When its turn began, or when it began to wait for one. */
  readonly since: number;
  readonly hasTurn: boolean;
  /** Whether its turn may end because others wait. */
  readonly isDone: boolean;
}

/** Returns whose turns end, longest first, and whose begin. A turn ends only for another one to begin. */
export function shareTurns<T extends Turn>(all: readonly T[], places: number) {
  const inOrder = all.toSorted((a, b) => a.since - b.since);
  const waiting = inOrder.filter(({ hasTurn }) => !hasTurn);
  const running = inOrder.filter(({ hasTurn }) => hasTurn);
  const free = Math.max(0, places - running.length);
  const ending = running.filter(({ isDone }) => isDone).slice(0, Math.max(0, waiting.length - free));
  return { ending, beginning: waiting.slice(0, free + ending.length) };
}
