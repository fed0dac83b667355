import { Trans, useLingui } from '@lingui/react/macro';
import { NativeSelect } from '@mantine/core';
import { useHubHost } from '../../shared/system/hub-host.ts';
import styles from './ChannelDetailPage.module.css';

/** Selects which of the hub's addresses are shown for encoders and players. Not rendered if there is only one. */
export function HostChoice() {
  const { t } = useLingui();
  const { host, choices, isOpenedLocally, choose } = useHubHost();
  if (choices.length === 1) {
    if (!isOpenedLocally) return null;
    return (
      <p className={styles.note}>
        <Trans>Opened as {host}. Other machines cannot reach the hub at this address.</Trans>
      </p>
    );
  }
  return (
    <NativeSelect
      size="xs"
      className={styles.host ?? ''}
      label={t`Address of the hub`}
      description={
        isOpenedLocally &&
        t`Opened as ${location.hostname}. Encoders and players on other machines need another address of the hub.`
      }
      data={[...choices]}
      value={host}
      onChange={(event) => choose(event.currentTarget.value)}
    />
  );
}
