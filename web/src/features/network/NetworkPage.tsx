import { Trans, useLingui } from '@lingui/react/macro';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link } from 'react-router-dom';
import { useTopic } from '../../api/live.ts';
import { useMay } from '../../api/session.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { paths } from '../../lib/paths.ts';
import { MissingParts } from '../../shared/appliance/MissingParts.tsx';
import { WaitingNote } from '../../shared/confirmed-change/WaitingNote.tsx';
import { PageHeader } from '../../shared/page/PageHeader.tsx';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { Panel } from '../../ui/layout/Panel.tsx';
import styles from './NetworkPage.module.css';
import { networkQuery, networkTopic } from './network-query.ts';
import { PortPanel } from './PortPanel.tsx';
import { recordTraffic } from './traffic-history.ts';

/** Parts without which no port can be changed. */
const neededParts: ReadonlySet<string> = new Set(['bus', 'networkManager']);

/** Below the ports, which do not wait for it. */
const WifiPart = deferredPart(() => import('./WifiPart.tsx'));

const recordMs = 1000;

/** The ports of an appliance. */
export default function NetworkPage() {
  const { t } = useLingui();
  const client = useQueryClient();
  const network = useSuspenseQuery(networkQuery).data;
  useTopic(networkTopic, true);
  useTrafficRecord();
  const mayEdit = useMay('systemEdit');
  const { ports, waiting, missing, revision } = network;
  const isLocked = waiting !== undefined || missing.some(({ part }) => neededParts.has(part));
  return (
    <>
      <PageHeader title={t`Network`} />
      <div className={styles.page}>
        {!mayEdit && <Banner tone="info" title={<Trans>You can view these settings, but not change them.</Trans>} />}
        <MissingParts missing={missing} />
        {waiting !== undefined && (
          <WaitingNote
            waiting={waiting}
            onEnd={() => void client.invalidateQueries({ queryKey: networkQuery.queryKey })}
          />
        )}
        {ports.map((port) => (
          <PortPanel
            key={port.port}
            port={port}
            others={ports.filter((other) => other !== port)}
            revision={revision}
            isLocked={isLocked}
          />
        ))}
        <WifiPart />
        <Panel title={<Trans>Firewall</Trans>}>
          <p className={styles.hint}>
            <Trans>
              The page <Link to={paths.firewall}>Firewall</Link> shows which ports are open on ETH2.
            </Trans>
          </p>
        </Panel>
        <Panel title={<Trans>Console and API</Trans>}>
          <p className={styles.hint}>
            <Trans>
              The ports of the console are on the page <Link to={`${paths.generalSettings}?group=web`}>General</Link>,
              its certificate on the page <Link to={paths.certificate}>Certificate</Link>.
            </Trans>
          </p>
        </Panel>
      </div>
    </>
  );
}

/** The topic sends what changes; a plot needs a value for each second. */
function useTrafficRecord(): void {
  const client = useQueryClient();
  useEffect(() => {
    const record = () => recordTraffic(client.getQueryData(networkQuery.queryKey)?.ports ?? []);
    record();
    const timer = setInterval(record, recordMs);
    return () => clearInterval(timer);
  }, [client]);
}
