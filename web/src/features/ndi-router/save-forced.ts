import { CallError } from '../../lib/call-error.ts';
import { confirm } from '../../ui/overlay/confirm.ts';

interface ForcedQuestion {
  readonly title: string;
  readonly consequence: string;
  readonly verb: string;
  /** Called once it was saved after the question. */
  readonly onForced: () => void;
}

/** Saves; asks first if the hub refuses what may be forced. The form keeps showing the refusal meanwhile. */
export async function savedOrForced(
  save: (force: boolean) => Promise<unknown>,
  { onForced, ...question }: ForcedQuestion,
): Promise<void> {
  try {
    await save(false);
  } catch (error) {
    if (error instanceof CallError && error.isForceable && error.fault !== 'stateChanged') {
      confirm({ ...question, isDangerous: true, run: () => save(true).then(onForced) });
    }
    throw error;
  }
}
