/** Times of single events, several of each: until a frame, and without one. */
export interface Timing {
  readonly what: string;
  /** Name of the subject. */
  readonly label: string;
  readonly isOurs: boolean;
  readonly ms: readonly number[];
  /** For the worst value. */
  readonly limitMs?: number;
}

export interface TimingPlan {
  readonly attempts: number;
  readonly onProblem: (text: string) => void;
}

/** A measurement that fails is reported and does not stop the others. */
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
