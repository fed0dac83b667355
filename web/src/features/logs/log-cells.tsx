import { useLingui } from '@lingui/react/macro';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import type { Operation } from '../../../../daemon/contract/logs.ts';
import { results } from '../../../../daemon/contract/result.ts';
import { detailText, operationText, resultText } from '../../i18n/operation-text.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { Address } from '../../ui/Address.tsx';
import { NoValue } from '../../ui/Quantity.tsx';
import { StateMark } from '../../ui/StateMark.tsx';
import styles from './log-cells.module.css';
import { operationWord } from './operation-word.ts';
import { useClock } from './useClock.ts';

interface CellProps {
  readonly operation: Operation;
}

/** How long ago; exactly when, on hover, and written out where nothing hovers. */
export function TimeCell({ operation: { time } }: CellProps) {
  const format = useFormat();
  const now = useClock();
  const exact = format.dateTime(time);
  return (
    <time dateTime={new Date(time).toISOString()} title={exact}>
      {/* An entry can be younger than the last step of the clock. */}
      {format.relative(time, Math.max(now, time))}
      <span className={styles.exact}>{exact}</span>
    </time>
  );
}

export function ExactTimeCell({ operation: { time } }: CellProps) {
  const format = useFormat();
  return <time dateTime={new Date(time).toISOString()}>{format.dateTime(time)}</time>;
}

/** What was typed as a name that doesn't exist isn't kept: it may have been a password. */
export function UserCell({ operation }: CellProps) {
  const { t } = useLingui();
  const { user } = operation;
  if (user !== '') return <span title={user}>{user}</span>;
  // Only who signs in has typed a name; the first set-up, for one, knows nobody yet.
  const isTyped = operationWord(operation) === 'session.refused';
  return isTyped ? <span className={styles.faint}>{t`Unknown name`}</span> : <NoValue />;
}

/** What the hub does by itself, or before anybody can sign in, comes from nowhere. */
export function PlaceCell({ operation: { ip } }: CellProps) {
  return ip === '' ? <NoValue /> : <span title={ip}>{ip}</span>;
}

export function ActionCell({ operation }: CellProps) {
  const { i18n } = useLingui();
  return <span title={operation.action}>{operationText(i18n, operationWord(operation)) ?? operation.action}</span>;
}

export function DetailCell({ operation }: CellProps) {
  const { i18n } = useLingui();
  const detail = detailText(i18n, operation);
  return detail === '' ? <NoValue /> : <Address text={detail} />;
}

/** Success is the rule and stays quiet. */
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
