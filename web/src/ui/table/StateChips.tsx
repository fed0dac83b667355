import { Trans, useLingui } from '@lingui/react/macro';
import { useFormat } from '../../i18n/useFormat.ts';
import type { StateFilter } from './column.ts';
import styles from './DataTable.module.css';
import { stateCounts } from './state-counts.ts';

interface StateChipsProps<T> {
  readonly states: readonly StateFilter<T>[];
  readonly items: readonly T[];
  /** Key of the chosen state; empty for all. */
  readonly chosen: string;
  readonly choose: (state: string) => void;
}

/** How many items are in each state; the chosen one filters the list. */
export function StateChips<T extends object>({ states, items, chosen, choose }: StateChipsProps<T>) {
  const { t, i18n } = useLingui();
  const format = useFormat();
  const counts = stateCounts(states, items);
  const chip = (key: string, title: React.ReactNode, count: number) => (
    <button
      key={key}
      type="button"
      className={styles.chip}
      aria-pressed={chosen === key}
      data-empty={count === 0}
      onClick={() => choose(chosen === key ? '' : key)}
    >
      {title} <span>{format.number(count)}</span>
    </button>
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset needs a legend, which these buttons do without
    <div className={styles.chips} role="group" aria-label={t`State`}>
      {chip('', <Trans>All</Trans>, items.length)}
      {states.map(({ key, title }) => chip(key, i18n._(title), counts.get(key) ?? 0))}
    </div>
  );
}
