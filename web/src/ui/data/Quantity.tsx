import type { Amount } from '../../lib/format.ts';
import styles from './Quantity.module.css';

/** A number with its unit, in tabular digits, so that it does not shift when it changes. */
export function Quantity({ amount, isNarrow = false }: { amount: Amount; isNarrow?: boolean }) {
  return (
    <span className={styles.quantity}>
      {amount.value}
      <span className={isNarrow ? styles.unitNarrow : styles.unit}>{amount.unit}</span>
    </span>
  );
}

/** Placeholder for a missing number. */
export function NoValue() {
  return (
    <span className={styles.none} aria-hidden="true" data-none>
      –
    </span>
  );
}
