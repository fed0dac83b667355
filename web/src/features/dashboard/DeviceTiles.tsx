import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { IconAlertTriangle, IconCircleFilled, IconHourglassLow, IconPlugConnectedX } from '@tabler/icons-react';
import type { ComponentProps, ReactNode } from 'react';
import { Link } from 'react-router-dom';
import type { DeviceCounts } from '../../../../daemon/contract/system.ts';
import { useHas, useMay } from '../../api/session.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { paths } from '../../lib/paths.ts';
import { useDeviceCounts } from '../../shared/devices/devices-query.ts';
import { StateMark } from '../../ui/data/StateMark.tsx';
import styles from './DashboardPage.module.css';

/**
 * Numbers of devices, each with a link to the list of them; nothing on a hub without devices. `initial`: as they were
 * when the page was loaded.
 */
export function DeviceTiles({ initial }: { initial: DeviceCounts | undefined }) {
  const { t } = useLingui();
  const may = [useHas('devices'), useMay('deviceView')].every(Boolean);
  const counts = useDeviceCounts() ?? initial;
  if (!may || counts === undefined || counts['num-all'] + counts['num-pending'] === 0) return null;
  const { 'num-all': all, 'num-online': online, 'num-offline': offline, 'num-warn': warnings } = counts;
  return (
    <ul className={styles.deviceTiles} aria-label={t`Devices`}>
      <DeviceTile to={paths.devices} count={online} tone="live" icon={IconCircleFilled}>
        <Plural value={all} one="of # device online" other="of # devices online" />
      </DeviceTile>
      <DeviceTile to={`${paths.devices}?state=offline`} count={offline} tone="fault" icon={IconPlugConnectedX}>
        <Trans>Offline</Trans>
      </DeviceTile>
      <DeviceTile to={paths.warningDevices} count={warnings} tone="warn" icon={IconAlertTriangle}>
        <Trans>With a warning</Trans>
      </DeviceTile>
      <DeviceTile to={paths.pendingDevices} count={counts['num-pending']} tone="info" icon={IconHourglassLow}>
        <Trans>Pending approval</Trans>
      </DeviceTile>
    </ul>
  );
}

interface DeviceTileProps extends Pick<ComponentProps<typeof StateMark>, 'tone' | 'icon'> {
  /** The list of what it counts. */
  readonly to: string;
  readonly count: number;
  readonly children: ReactNode;
}

/** Without color while there is nothing to count. */
function DeviceTile({ to, count, tone, icon, children }: DeviceTileProps) {
  const { number } = useFormat();
  const shownTone = count === 0 ? 'off' : tone;
  return (
    <li>
      <Link className={`${styles.tile} ${styles.deviceTile}`} to={to}>
        <span className={styles.deviceCount} data-tone={shownTone}>
          {number(count)}
        </span>
        <StateMark tone={shownTone} icon={icon}>
          {children}
        </StateMark>
      </Link>
    </li>
  );
}
