import { useLingui } from '@lingui/react/macro';
import { systemFlags } from '../../../../daemon/contract/variant.ts';
import { paths } from '../../lib/paths.ts';
import { useSystem } from '../../shared/system/system-query.ts';
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
