import { Trans, useLingui } from '@lingui/react/macro';
import { IconAlertTriangle, IconBellOff, IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import type { Alarm } from '../../../../daemon/contract/alarms.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { isMuted } from '../../shared/alarms/alarm-state.ts';
import { Moment } from '../../ui/data/Moment.tsx';
import { NoValue } from '../../ui/data/Quantity.tsx';
import { StateMark } from '../../ui/data/StateMark.tsx';
import { useNow } from '../../ui/data/useNow.ts';

/** Severity while the alarm is active; muted ones say so. */
export function StateCell({ alarm }: { alarm: Alarm }) {
  const { t } = useLingui();
  const format = useFormat();
  if (alarm.cleared > 0) {
    return (
      <StateMark tone="off" icon={IconCircleCheck}>
        <Trans context="state">Cleared</Trans>
      </StateMark>
    );
  }
  const isCritical = alarm.severity === 'critical';
  const until = alarm['muted-until'] ?? 0;
  return (
    <>
      <StateMark tone={isCritical ? 'fault' : 'warn'} icon={isCritical ? IconCircleX : IconAlertTriangle}>
        {isCritical ? <Trans>Critical</Trans> : <Trans>Warning</Trans>}
      </StateMark>
      {isMuted(alarm, Date.now()) && (
        <span title={until === 0 ? t`Muted until cleared` : t`Muted until ${format.clock(until)}`}>
          <StateMark tone="off" icon={IconBellOff}>
            <Trans>Muted</Trans>
          </StateMark>
        </span>
      )}
    </>
  );
}

export function DurationCell({ alarm: { raised, cleared } }: { alarm: Alarm }) {
  const format = useFormat();
  return cleared === 0 ? <Running since={raised} /> : format.span((cleared - raised) / 1000);
}

function Running({ since }: { since: number }) {
  const format = useFormat();
  return format.span((useNow(1000) - since) / 1000);
}

export function AcknowledgedCell({ alarm: { acknowledged } }: { alarm: Alarm }) {
  if (acknowledged === undefined) return <NoValue />;
  return (
    <>
      {acknowledged.by} · <Moment time={acknowledged.time} />
    </>
  );
}
