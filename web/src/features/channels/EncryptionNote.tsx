import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useMay } from '../../api/session.ts';
import { settingsQuery } from '../../shared/system/settings-query.ts';
import styles from './ChannelDetailPage.module.css';

/** If the hub requires a passphrase, the SRT address alone is not sufficient to connect. */
export function EncryptionNote() {
  const may = useMay('systemView');
  const keyLength = useQuery({ ...settingsQuery, enabled: may }).data?.srt['pb-key-len'] ?? 0;
  if (keyLength === 0) return null;
  return (
    <p className={styles.note}>
      <Trans>SRT is encrypted on this hub: add the passphrase of its settings, AES-{keyLength * 8}.</Trans>
    </p>
  );
}
