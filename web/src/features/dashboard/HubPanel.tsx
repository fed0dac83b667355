import { Trans, useLingui } from '@lingui/react/macro';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { SystemStatus } from '../../../../daemon/contract/system.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { systemHistoryQuery } from '../../shared/system/system-query.ts';
import { Quantity } from '../../ui/data/Quantity.tsx';
import { Sparkline } from '../../ui/data/Sparkline.tsx';
import { StateMark } from '../../ui/data/StateMark.tsx';
import { Panel } from '../../ui/layout/Panel.tsx';
import styles from './DashboardPage.module.css';

const mebibyte = 1024 * 1024;
/** Usage in percent from which CPU, memory and disk are shown as a warning or a fault. */
const high = { warn: 85, fault: 95 };

/** Load of the machine, current and over the last 60 minutes. */
export function HubPanel({ system }: { system: SystemStatus['system'] }) {
  const { t } = useLingui();
  const format = useFormat();
  const history = useQuery(systemHistoryQuery).data;
  const { status } = system;
  const disk = status['disk-info'];
  const diskUsed = disk.total === 0 ? 0 : (1 - disk.free / disk.total) * 100;
  const rings = status['ring-info'];
  const ringsUsed = rings.limit === 0 ? 0 : Math.min(100, (rings.used / rings.limit) * 100);
  const limit = format.bytes(rings.limit * mebibyte);
  const free = format.bytes(disk.free * mebibyte);
  return (
    <Panel title={<Trans>Hub load</Trans>} aside={<span className={styles.rowNote}>{t`Last 60 minutes`}</span>} isFlush>
      <div className={styles.loads}>
        <Load name={t`CPU`} value={<Quantity amount={format.percent(status.cpu)} />} tone={toneOf(status.cpu)}>
          {history && <Sparkline values={history.cpu} max={100} label={t`CPU load in the last 60 minutes`} />}
        </Load>
        <Load name={t`Memory`} value={<Quantity amount={format.percent(status.mem)} />} tone={toneOf(status.mem)}>
          {history && <Sparkline values={history.mem} max={100} label={t`Memory in use in the last 60 minutes`} />}
        </Load>
        <Load name={t`Stream buffers`} value={<Quantity amount={format.bytes(rings.used * mebibyte)} />}>
          <div className={styles.meter} role="img" aria-label={t`Stream buffers ${Math.round(ringsUsed)} percent full`}>
            <div className={styles.meterFill} style={{ width: `${ringsUsed}%` }} />
          </div>
          <span className={styles.rowNote}>
            <Trans>
              of {limit.value} {limit.unit} at most
            </Trans>
          </span>
        </Load>
        <Load name={t`Network in`} value={<Quantity amount={format.rate(status['net-rx'] * 1000)} />}>
          {history && <Sparkline values={history['net-rx']} label={t`Network received in the last 60 minutes`} />}
        </Load>
        <Load name={t`Network out`} value={<Quantity amount={format.rate(status['net-tx'] * 1000)} />}>
          {history && <Sparkline values={history['net-tx']} label={t`Network sent in the last 60 minutes`} />}
        </Load>
        <Load name={t`Disk`} value={<Quantity amount={format.percent(diskUsed)} />} tone={toneOf(diskUsed)}>
          <div className={styles.meter} role="img" aria-label={t`Disk ${Math.round(diskUsed)} percent full`}>
            <div className={styles.meterFill} style={{ width: `${diskUsed}%` }} />
          </div>
          <span className={styles.rowNote}>
            <Trans>
              {free.value} {free.unit} free
            </Trans>
          </span>
        </Load>
      </div>
    </Panel>
  );
}

type LoadTone = 'warn' | 'fault' | undefined;

function toneOf(percent: number): LoadTone {
  if (percent >= high.fault) return 'fault';
  return percent >= high.warn ? 'warn' : undefined;
}

interface LoadProps {
  readonly name: string;
  readonly value: ReactNode;
  readonly tone?: LoadTone;
  readonly children: ReactNode;
}

function Load({ name, value, tone, children }: LoadProps) {
  return (
    <div className={styles.load} data-tone={tone}>
      <span className={styles.loadName}>{name}</span>
      <div>{children}</div>
      <span className={styles.figure}>
        {value}
        {tone && (
          <StateMark tone={tone} icon={IconAlertTriangle}>
            {tone === 'fault' ? <Trans>Very high</Trans> : <Trans>High</Trans>}
          </StateMark>
        )}
      </span>
    </div>
  );
}
