import { useLingui } from '@lingui/react/macro';
import { systemFlags } from '../../../daemon/contract/system.ts';
import { useSystem } from '../features/dashboard/system-query.ts';
import { paths } from '../paths.ts';
import styles from './Sidebar.module.css';

/** Marks menu entries that need attention: the channels, if the relay service failed to start. */
export function MenuBadge({ path }: { path: string }) {
  const { t } = useLingui();
  const status = useSystem()?.status['status-code'] ?? 0;
  if (path !== paths.channels || (status & systemFlags.relayStartFailed) === 0) return null;
  return (
    <span className={styles.badge} role="img" aria-label={t`The relay service failed to start`}>
      !
    </span>
  );
}
