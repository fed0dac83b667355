import { useLingui } from '@lingui/react/macro';
import { memo } from 'react';
import styles from './DataTable.module.css';

export type Toggle = (id: number, isRange: boolean) => void;

interface SelectBoxProps {
  readonly id: number;
  readonly name: string;
  readonly isSelected: boolean;
  readonly toggle: Toggle;
}

/** Chooses a row; with the shift key held, also all rows since the last one. */
export const SelectBox = memo(function SelectBox({ id, name, isSelected, toggle }: SelectBoxProps) {
  const { t } = useLingui();
  return (
    <label className={styles.select}>
      <input
        type="checkbox"
        aria-label={t`Select ${name}`}
        checked={isSelected}
        onChange={() => {}}
        // A click, because a change event does not tell about the shift key; the space bar clicks, too.
        onClick={(event) => toggle(id, event.shiftKey)}
      />
    </label>
  );
});
