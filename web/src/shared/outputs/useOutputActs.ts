import { useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';
import { showToast } from '../../ui/feedback/toasts.ts';
import { confirm } from '../../ui/overlay/confirm.ts';
import { deleteOutput } from './output-calls.ts';

interface OutputName {
  readonly id: number;
  readonly name: string;
}

interface OutputActs {
  readonly remove: (output: OutputName) => void;
  /** For the page of its channel, where it is obvious that the output is in use. */
  readonly removeFromChannel: (output: OutputName) => void;
}

export function useOutputActs(): OutputActs {
  const { t } = useLingui();
  return useMemo(() => {
    const ask = ({ id, name }: OutputName, isKnownInUse: boolean) => {
      confirm({
        title: t`Delete output “${name}”?`,
        consequence: t`Nothing is sent there any more, and its settings are lost.`,
        verb: t`Delete output`,
        isDangerous: true,
        forced: {
          consequence: (by) =>
            t`The channel “${by}” sends to this output. Nothing is sent there any more, and its settings are lost.`,
          verb: t`Delete anyway`,
        },
        async run(force) {
          await deleteOutput(id, force || isKnownInUse);
          showToast('success', t`“${name}” was deleted.`);
        },
      });
    };
    return { remove: (output) => ask(output, false), removeFromChannel: (output) => ask(output, true) };
  }, [t]);
}
