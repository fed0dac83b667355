import { Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { Device } from '../../../../../daemon/contract/devices.ts';
import { directions } from '../../../../../daemon/contract/streams.ts';
import { NoValue } from '../../../ui/data/Quantity.tsx';
import { PercentCell, RateCell, TemperatureCell, UptimeCell } from '../device-cells.tsx';
import styles from './DeviceFigures.module.css';
import type { Details } from './OverviewTab.tsx';

interface DeviceFiguresProps {
  readonly device: Device;
  readonly details: Details | undefined;
}

/** The key figures of a device. */
export function DeviceFigures({ device, details }: DeviceFiguresProps) {
  const { t } = useLingui();
  const { figures, status, dir, connection } = device;
  const isDecoder = dir === directions.output;
  const isOnline = connection === 'online';
  return (
    <ul className={styles.figures}>
      {isDecoder ? (
        <Figure name={t`Plays`} value={isOnline ? <Plays source={details?.facts?.source} /> : <NoValue />} isText />
      ) : (
        <Figure name={t`Signal`} value={device['pro-feature'].input ?? <NoValue />} isText />
      )}
      <Figure name={t`Bitrate`} value={<RateCell kbps={figures['stream-kbps']} />} />
      <Figure name={t`CPU`} value={<PercentCell value={figures.cpu} />} />
      <Figure name={t`Memory`} value={<PercentCell value={figures.memory} />} />
      <Figure name={t`Temperature`} value={<TemperatureCell value={figures.temperature} />} />
      <Figure name={t`Uptime`} value={<UptimeCell seconds={status['up-time']} />} />
    </ul>
  );
}

function Plays({ source }: { source: NonNullable<Details['facts']>['source'] }) {
  if (source === undefined || source.name === '') return <NoValue />;
  return source.connected ? source.name : <Trans>{source.name} (not connected)</Trans>;
}

function Figure({ name, value, isText = false }: { name: string; value: ReactNode; isText?: boolean }) {
  return (
    <li className={styles.figure}>
      <div className={styles.name}>{name}</div>
      <div className={styles.value} data-text={isText} title={isText && typeof value === 'string' ? value : undefined}>
        {value}
      </div>
    </li>
  );
}
