import { useLingui } from '@lingui/react/macro';
import { confirm } from '../../ui/overlay/confirm.ts';
import { deleteOutput } from './output-calls.ts';

interface Deletion {
  /** On the page of its channel it is obvious that the output is in use. */
  readonly isKnownInUse: boolean;
}

/** Returns a function that deletes an output after confirmation. */
export function useDeleteOutput({ isKnownInUse }: Deletion): (output: { id: number; name: string }) => void {
  const { t } = useLingui();
  return ({ id, name }) =>
    confirm({
      title: t`Delete output “${name}”?`,
      consequence: t`Sending stops, and the settings are permanently deleted.`,
      verb: t`Delete output`,
      isDangerous: true,
      forced: {
        consequence: (by) => t`Used by the channel “${by}”. Sending stops, and the settings are permanently deleted.`,
        verb: t`Delete anyway`,
      },
      run: (force) => deleteOutput({ id, force: force || isKnownInUse }),
      done: t`“${name}” was deleted.`,
    });
}
