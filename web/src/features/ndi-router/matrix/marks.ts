/** The marks that the matrix shows at the crosspoints of an output. */

/**
 * - `sent`: the output sends this source
 * - `standIn`: it sends this source in place of one that is offline
 * - `lost`: it is routed to this source, which is offline
 * - `due`: it is routed to this source, and does not send it yet
 * - `leaving`: it still sends this source
 * - `staged`: prepared, to be sent together with others
 * - `asked`: the hub has not answered yet
 */
export type Mark = 'sent' | 'standIn' | 'lost' | 'due' | 'leaving' | 'staged' | 'asked';

/** By the number of the input; null is the crosspoint that clears the output. */
export type Marks = ReadonlyMap<number | null, Mark>;

interface Shown {
  /** The input that the output is routed to. */
  readonly routed: number | null;
  /** The input that failover has switched it to. */
  readonly substitute: number | null;
  /** Whether the runtime has confirmed the desired source. */
  readonly isApplied: boolean;
  /** Whether it waits for a source that is offline. */
  readonly isWaiting: boolean;
  /** The input whose source the output sends; undefined if no input has this source, or if it is unknown. */
  readonly sends: number | null | undefined;
  /** The requested input; undefined if there is no request. */
  readonly asked: number | null | undefined;
  readonly staged: number | null | undefined;
}

export function marksOf(shown: Shown): Marks {
  const { routed, substitute, isApplied, isWaiting, sends, asked, staged } = shown;
  const marks = new Map<number | null, Mark>();
  if (!isApplied && sends !== undefined) marks.set(sends, 'leaving');
  if (substitute === null) marks.set(routed, isWaiting ? 'lost' : isApplied ? 'sent' : 'due');
  else {
    marks.set(routed, 'lost');
    marks.set(substitute, isApplied ? 'standIn' : 'due');
  }
  if (staged !== undefined) marks.set(staged, 'staged');
  if (asked !== undefined) marks.set(asked, 'asked');
  return marks;
}
