import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { settingsApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { useMay } from '../../api/session.ts';
import { useHubHost } from '../../shared/system/hub-host.ts';
import { settingsQuery } from '../../shared/system/settings-query.ts';
import { useSystem } from '../../shared/system/system-query.ts';
import { CopyLine } from '../../ui/data/CopyLine.tsx';
import { ActFault } from '../../ui/feedback/ActFault.tsx';
import { Banner } from '../../ui/feedback/Banner.tsx';
import styles from './AddDeviceDialog.module.css';

const hidden = '••••';

/** What the agent of a device needs to register with this hub. */
export function JoinByCode() {
  const { t } = useLingui();
  const { host } = useHubHost();
  const ports = useSystem()?.ports;
  const mayReveal = useMay('systemEdit');
  const { data: settings } = useQuery({ ...settingsQuery, enabled: useMay('systemView') });
  const needsCode = settings?.security['enable-code'];
  const reveal = useMutation({ mutationFn: () => call(settingsApi.revealCode, { body: {} }) });
  const code = reveal.data?.['code-value'];
  const place = `${host}:${ports?.link || 8070}`;
  const command = [
    `signalbox agent --hub ${place}`,
    ...(ports?.https === null ? ['--insecure'] : []),
    ...(needsCode === false ? [] : [`--code ${code ?? 'CODE'}`]),
    '--device http://192.168.1.20 --user Admin --password-file FILE',
  ].join(' ');
  return (
    <>
      <p className={styles.text}>
        <Trans>
          For devices that the hub can’t reach: an agent in their network connects to the hub, and the device then waits
          for approval. The agent is the same program on any Linux machine there.
        </Trans>
      </p>
      {ports?.link === 0 && <Banner tone="fault" title={t`The hub could not open its port for agents.`} />}
      <div>
        <CopyLine label={t`Hub`} text={place} />
        {needsCode !== false && code !== undefined && (
          <CopyLine label={t`Code`} name={t`Invitation code`} text={code} />
        )}
        <CopyLine label={t`Command`} text={command} />
      </div>
      {needsCode !== false && code === undefined && (
        <div className={styles.code}>
          <span>
            <Trans>Invitation code</Trans>: {hidden}
          </span>
          {mayReveal ? (
            <Button variant="default" loading={reveal.isPending} onClick={() => reveal.mutate()}>
              <Trans>Show the code</Trans>
            </Button>
          ) : (
            <span>
              <Trans>Only visible to users who may change the settings</Trans>
            </span>
          )}
        </div>
      )}
      {needsCode === false && (
        <p className={styles.text}>
          <Trans>No invitation code is needed; the settings can require one.</Trans>
        </p>
      )}
      {reveal.isError && <ActFault error={reveal.error} />}
    </>
  );
}
