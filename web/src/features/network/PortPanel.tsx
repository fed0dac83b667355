import { Trans, useLingui } from '@lingui/react/macro';
import type { NetworkPort } from '../../../../daemon/contract/network.ts';
import { useMay } from '../../api/session.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { isEntry } from '../../shared/confirmed-change/next-address.ts';
import { Quantity } from '../../ui/data/Quantity.tsx';
import { Sparkline } from '../../ui/data/Sparkline.tsx';
import { LookMark } from '../../ui/data/StateMark.tsx';
import { Facts } from '../../ui/layout/Facts.tsx';
import { Panel } from '../../ui/layout/Panel.tsx';
import { BlinkButton } from './BlinkButton.tsx';
import styles from './NetworkPage.module.css';
import type { PortFormProps } from './PortForm.tsx';
import { portLooks, portName, speedText } from './port-look.ts';
import { useTraffic } from './traffic-history.ts';

const PortForm = deferredPart(async () => ({ default: (await import('./PortForm.tsx')).PortForm }));

/** An Ethernet port: what it does now, and its settings. */
export function PortPanel({ port, ...form }: PortFormProps) {
  return (
    <Panel title={portName(port.port)} aside={<LookMark look={portLooks[port.state]} />}>
      <div className={styles.port}>
        <PortState port={port} />
        <div className={styles.formPlace}>
          {port.state === 'absent' ? <AbsentNote /> : <PortForm port={port} {...form} />}
        </div>
      </div>
    </Panel>
  );
}

function AbsentNote() {
  return (
    <p className={styles.hint}>
      <Trans>This machine has no such port.</Trans>
    </p>
  );
}

function PortState({ port }: { port: NetworkPort }) {
  const { t, i18n } = useLingui();
  const { comma } = useFormat();
  const mayEdit = useMay('systemEdit');
  const listed = (list: readonly string[]) => (list.length === 0 ? '–' : list.join(comma));
  return (
    <div className={styles.state}>
      <Facts
        facts={[
          { name: t`Link`, value: port.link ? speedText(i18n, port.speed) : t`No link` },
          { name: t`Gateway`, value: port.gateway || '–' },
          { name: t`Addresses now`, value: <Addresses port={port} />, isWide: true },
          { name: t`DNS servers now`, value: listed(port.dns), isWide: true },
          { name: t`Interface`, value: <Interface port={port} />, isWide: true },
        ]}
      />
      <PortTraffic port={port} />
      {mayEdit && port.device !== '' && <BlinkButton port={port} />}
    </div>
  );
}

function Addresses({ port }: { port: NetworkPort }) {
  if (port.addresses.length === 0) return '–';
  return (
    <>
      {port.addresses.map((address) => (
        <div key={address} className={styles.mono}>
          {address}
        </div>
      ))}
      {isEntry(port, location.hostname) && (
        <span className={styles.hint}>
          <Trans>You are connected through this port.</Trans>
        </span>
      )}
    </>
  );
}

function Interface({ port: { device, mac, driver } }: { port: NetworkPort }) {
  if (device === '') return '–';
  return (
    <span className={styles.mono} translate="no">
      {device}
      {mac !== '' && ` · ${mac}`}
      {driver !== '' && ` · ${driver}`}
    </span>
  );
}

function PortTraffic({ port }: { port: NetworkPort }) {
  const { t } = useLingui();
  const { rate } = useFormat();
  const traffic = useTraffic(port.port);
  const name = portName(port.port);
  return (
    <dl className={styles.traffic}>
      <div>
        <dt>
          <Trans>Received</Trans>
        </dt>
        <dd>
          <Quantity amount={rate(port['rx-kbps'])} />
          <Sparkline values={traffic.received} label={t`Received by ${name} in the last two minutes`} />
        </dd>
      </div>
      <div>
        <dt>
          <Trans>Sent</Trans>
        </dt>
        <dd>
          <Quantity amount={rate(port['tx-kbps'])} />
          <Sparkline values={traffic.sent} label={t`Sent by ${name} in the last two minutes`} />
        </dd>
      </div>
    </dl>
  );
}
