import { useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { NdiSalvo } from '../../../../../daemon/contract/ndi-router.ts';
import { faultText } from '../../../i18n/result-text.ts';
import { showToast } from '../../../ui/feedback/toasts.ts';
import { useAct } from '../../../ui/form/useAct.ts';
import { WithReason } from '../../../ui/overlay/WithReason.tsx';
import styles from '../NdiRouter.module.css';
import { recallSalvo } from '../routing.ts';

interface RecallButtonProps {
  readonly salvo: NdiSalvo;
  /** Why the user cannot recall it; undefined if they can. */
  readonly noEdit: string | undefined;
  readonly children?: ReactNode;
}

/** A large button that recalls a salvo. */
export function RecallButton({ salvo, noEdit, children }: RecallButtonProps) {
  const { i18n } = useLingui();
  const { id, name, routes } = salvo;
  const act = useAct(async () => {
    try {
      await recallSalvo(id, routes);
    } catch (error) {
      showToast('error', `${name}: ${faultText(i18n, error)}`, 'ndi-route');
    }
  });
  return (
    <WithReason reason={noEdit}>
      <button
        type="button"
        className={styles.recall}
        aria-busy={act.isPending}
        onClick={() => !act.isPending && void act.run(undefined)}
      >
        <strong>{name}</strong>
        {children}
      </button>
    </WithReason>
  );
}
