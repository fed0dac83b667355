import { useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';
import { showToast } from '../../ui/feedback/toasts.ts';
import { confirm } from '../../ui/overlay/confirm.ts';
import { deleteInput } from './input-calls.ts';

export function useInputActs(): { remove: (input: { id: number; name: string }) => void } {
  const { t } = useLingui();
  return useMemo(
    () => ({
      remove: ({ id, name }) =>
        confirm({
          title: t`Delete input “${name}”?`,
          consequence: t`Its settings are lost.`,
          verb: t`Delete input`,
          isDangerous: true,
          forced: {
            consequence: (by) =>
              t`This input is in use by: ${by}. Without it they lose their stream and wait for the push key.`,
            verb: t`Delete anyway`,
          },
          async run(force) {
            await deleteInput(id, force);
            showToast('success', t`“${name}” was deleted.`);
          },
        }),
    }),
    [t],
  );
}
