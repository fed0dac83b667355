import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useFormat } from '../../../i18n/useFormat.ts';
import type { Amount } from '../../../lib/format.ts';
import { deviceHistoryQuery } from '../../../shared/devices/devices-query.ts';
import { NoValue, Quantity } from '../../../ui/data/Quantity.tsx';
import { Sparkline } from '../../../ui/data/Sparkline.tsx';
import { Panel } from '../../../ui/layout/Panel.tsx';
import styles from '../DevicePage.module.css';

type Series = readonly (number | null)[];

/** Bitrate, load and temperature of the last hour. */
export function HistoryPanel({ sn }: { sn: string }) {
  const { t } = useLingui();
  const format = useFormat();
  const history = useQuery(deviceHistoryQuery(sn)).data;
  if (history === undefined || history === null) return null;
  const degrees = (value: number) => ({ value: format.number(value), unit: '°C' });
  return (
    <Panel title={<Trans>Last hour</Trans>}>
      <div className={styles.curves}>
        <Curve name={t`Bitrate`} values={history['stream-kbps']} amount={format.rate} />
        <Curve name={t`CPU`} values={history.cpu} amount={format.percent} max={100} />
        <Curve name={t`Temperature`} values={history.temperature} amount={degrees} />
      </div>
    </Panel>
  );
}

interface CurveProps {
  readonly name: string;
  readonly values: Series;
  readonly amount: (value: number) => Amount;
  readonly max?: number;
}

/** Shows nothing for a figure that the device does not state. */
function Curve({ name, values, amount, max }: CurveProps): ReactNode {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return null;
  const text = (value: number) => Object.values(amount(value)).join(' ');
  const last = values.at(-1) ?? null;
  const label = `${name}: ${text(Math.min(...known))} – ${text(Math.max(...known))}`;
  return (
    <div className={styles.curve}>
      <span className={styles.curveName}>{name}</span>
      <Sparkline values={values} label={label} {...(max !== undefined && { max })} />
      <span className={styles.curveValue}>{last === null ? <NoValue /> : <Quantity amount={amount(last)} />}</span>
    </div>
  );
}
