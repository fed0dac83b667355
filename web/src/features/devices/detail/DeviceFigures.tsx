import { useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { Device } from '../../../../../daemon/contract/devices.ts';
import { directions } from '../../../../../daemon/contract/streams.ts';
import { NoValue } from '../../../ui/data/Quantity.tsx';
import { PercentCell, PlaysCell, RateCell, TemperatureCell, UptimeCell } from '../device-cells.tsx';
import styles from './DeviceFigures.module.css';

/** The key figures of a device. */
export function DeviceFigures({ device }: { device: Device }) {
  const { t } = useLingui();
  const { figures, status, dir } = device;
  const isDecoder = dir === directions.output;
  return (
    <ul className={styles.figures}>
      {isDecoder ? (
        <Figure name={t`Plays`} value={<PlaysCell device={device} />} isText />
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
