import { useLingui } from '@lingui/react/macro';
import type { TaskItem } from '../../../../../daemon/contract/tasks.ts';
import { callErrorOf } from '../../../lib/call-error.ts';
import { LookMark } from '../../../ui/data/StateMark.tsx';
import styles from './UpgradeItem.module.css';
import { stepLooks, upgradeFaultText } from './upgrade-look.ts';

/** Steps that count from 0 to 100. */
const counted: ReadonlySet<string> = new Set(['uploading', 'updating']);

/** The upgrade of one device: versions, step and progress, and why it failed. */
export default function UpgradeItem({ item: { name, fault, upgrade } }: { item: TaskItem }) {
  const { i18n, t } = useLingui();
  if (upgrade === undefined) return null;
  const { step, percent, from, to } = upgrade;
  const isCounted = counted.has(step);
  return (
    <li className={styles.item}>
      <span className={styles.name} translate="no">
        {name}
      </span>
      <span className={styles.step}>
        <LookMark look={stepLooks[step]} />
        {isCounted && <span className={styles.percent}>{t`${percent} %`}</span>}
      </span>
      <span className={styles.versions}>
        {from} → {to}
      </span>
      {isCounted && <progress className={styles.bar} aria-label={name} max={100} value={percent} />}
      {fault && <span className={styles.fault}>{upgradeFaultText(i18n, callErrorOf(fault))}</span>}
    </li>
  );
}
