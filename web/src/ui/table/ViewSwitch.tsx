import { useLingui } from '@lingui/react/macro';
import { IconLayoutGrid, IconList } from '@tabler/icons-react';
import type { TableView } from './column-choice.ts';
import styles from './DataTable.module.css';

interface ViewSwitchProps {
  readonly view: TableView;
  readonly choose: (view: TableView) => void;
}

/** Shows a list as rows or as cards. */
export function ViewSwitch({ view, choose }: ViewSwitchProps) {
  const { t } = useLingui();
  const button = (own: TableView, label: string, Icon: typeof IconList) => (
    <button type="button" aria-label={label} title={label} aria-pressed={view === own} onClick={() => choose(own)}>
      <Icon size={16} stroke={1.7} aria-hidden />
    </button>
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset needs a legend, which these buttons do without
    <div className={styles.views} role="group" aria-label={t`View`}>
      {button('list', t`List view`, IconList)}
      {button('cards', t`Card view`, IconLayoutGrid)}
    </div>
  );
}
