import type { Amount } from '../lib/format.ts';
import styles from './Quantity.module.css';

/** A number with its unit; digits of equal width, so that it doesn't move while it changes. */
export function Quantity({ amount, isNarrow = false }: { amount: Amount; isNarrow?: boolean }) {
  return (
    <span className={styles.quantity}>
      {amount.value}
      <span className={isNarrow ? styles.unitNarrow : styles.unit}>{amount.unit}</span>
    </span>
  );
}

/** Stands where a number would, when there is none. */
export function NoValue() {
  return (
    <span className={styles.none} aria-hidden="true" data-none>
      –
    </span>
  );
}
