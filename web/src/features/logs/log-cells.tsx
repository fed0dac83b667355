import { useLingui } from '@lingui/react/macro';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import type { Operation } from '../../../../daemon/contract/logs.ts';
import { results } from '../../../../daemon/contract/result.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { detailText, operationText, operationWord, resultText } from '../../shared/operations/operation-text.ts';
import { Address } from '../../ui/data/Address.tsx';
import { NoValue } from '../../ui/data/Quantity.tsx';
import { StateMark } from '../../ui/data/StateMark.tsx';
import styles from './log-cells.module.css';
import { useClock } from './useClock.ts';

interface CellProps {
  readonly operation: Operation;
}

/** An audit asks for the exact time; the relative one is shown on hover. */
export function TimeCell({ operation: { time } }: CellProps) {
  const format = useFormat();
  const now = useClock();
  return (
    // An entry can be newer than the last clock step.
    <time dateTime={new Date(time).toISOString()} title={format.relative(time, Math.max(now, time))}>
      {format.dateTime(time)}
    </time>
  );
}

/** Typed names that do not exist are not stored, because they may be passwords. */
export function UserCell({ operation }: CellProps) {
  const { t } = useLingui();
  const { user } = operation;
  if (user !== '') return <span title={user}>{user}</span>;
  // Only a sign-in involves a typed name; the first setup, for example, has no user yet.
  const isTyped = operationWord(operation) === 'session.refused';
  return isTyped ? <span className={styles.faint}>{t`Unknown user`}</span> : <NoValue />;
}

/** Operations by the hub itself, or before the first sign-in, have no address. */
export function PlaceCell({ operation: { ip } }: CellProps) {
  return ip === '' ? <NoValue /> : <span title={ip}>{ip}</span>;
}

export function ActionCell({ operation }: CellProps) {
  const { i18n } = useLingui();
  return <span title={operation.action}>{operationText(i18n, operation)}</span>;
}

export function DetailCell({ operation }: CellProps) {
  const { i18n } = useLingui();
  const detail = detailText(i18n, operation);
  return detail === '' ? <NoValue /> : <Address text={detail} />;
}

/** Success is the normal case and is shown without emphasis. */
export function ResultCell({ operation }: CellProps) {
  const { i18n, t } = useLingui();
  const { action, result } = operation;
  if (result === results.success.code) {
    return (
      <StateMark tone="off" icon={IconCheck}>
        {t`Success`}
      </StateMark>
    );
  }
  const text = resultText(i18n, { action, result });
  return (
    <span className={styles.fault} title={text}>
      <StateMark tone="fault" icon={IconAlertTriangle}>
        <span className={styles.faultText}>{text}</span>
      </StateMark>
    </span>
  );
}
