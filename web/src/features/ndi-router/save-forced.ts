import { CallError } from '../../lib/call-error.ts';
import { confirm } from '../../ui/overlay/confirm.ts';

interface ForcedQuestion {
  readonly title: string;
  readonly consequence: string;
  readonly verb: string;
  /** Called once the change was saved after the user had confirmed it. */
  readonly onForced: () => void;
}

/** Saves. If the hub refuses a change that may be forced, asks the user; the form still shows the refusal then. */
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
