/** Times of single events, several of each: how long until a picture, how long without one. */
export interface Timing {
  readonly what: string;
  /** Of the subject. */
  readonly label: string;
  readonly isOurs: boolean;
  readonly ms: readonly number[];
  /** For the worst of them. */
  readonly limitMs?: number;
}

export interface TimingPlan {
  readonly attempts: number;
  readonly onProblem: (text: string) => void;
}

/** What can't be measured is said, and doesn't take the others along. */
export async function timing(
  plan: TimingPlan,
  of: Omit<Timing, 'ms'>,
  measure: () => Promise<number[]>,
): Promise<Timing[]> {
  try {
    return [{ ...of, ms: await measure() }];
  } catch (error) {
    plan.onProblem(`${of.what}, ${of.label}: ${error instanceof Error ? error.message : String(error)}`);
    return [];
  }
}
