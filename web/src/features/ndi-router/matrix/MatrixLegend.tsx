import { Trans, useLingui } from '@lingui/react/macro';
import styles from './Matrix.module.css';
import type { Mark } from './marks.ts';
import { markTexts } from './usePlaceText.ts';

const explained: readonly Mark[] = ['sent', 'due', 'leaving', 'lost', 'standIn', 'staged'];

/** What the marks at the crosspoints mean. */
export function MatrixLegend() {
  const { i18n, t } = useLingui();
  return (
    <ul className={styles.legend} aria-label={t`Marks`}>
      {explained.map((mark) => (
        <li key={mark}>
          <span className={`${styles.cell} ${styles.sample}`} data-mark={mark} aria-hidden="true" />
          {i18n._(markTexts[mark])}
        </li>
      ))}
    </ul>
  );
}

export function MatrixKeys({ id }: { id: string }) {
  return (
    <p id={id} className={styles.keys}>
      <Trans>
        Arrow keys move, Enter routes, Delete clears, L locks, U undoes, Ctrl+Enter takes. G folds the group of the
        source, Shift+G that of the output.
      </Trans>
    </p>
  );
}
