import { Trans, useLingui } from '@lingui/react/macro';
import { IconArrowRight } from '@tabler/icons-react';
import { Link } from 'react-router-dom';
import { familyOf } from '../../../../../daemon/contract/device-catalog.ts';
import type { Device } from '../../../../../daemon/contract/devices.ts';
import type { ResponseOf } from '../../../../../daemon/contract/endpoint.ts';
import type { deviceApi } from '../../../api/calls.ts';
import { useFormat } from '../../../i18n/useFormat.ts';
import { channelPath } from '../../../lib/paths.ts';
import { familyTexts, reasonsOf, remedyTexts, shownSerial } from '../../../shared/devices/device-look.ts';
import { useDeviceGroups } from '../../../shared/devices/groups-query.ts';
import { NoValue, Quantity } from '../../../ui/data/Quantity.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Facts } from '../../../ui/layout/Facts.tsx';
import { Panel } from '../../../ui/layout/Panel.tsx';
import styles from '../DevicePage.module.css';
import { DevicePicture, RateCell, SignalCell, UptimeCell } from '../device-cells.tsx';
import { HistoryPanel } from './HistoryPanel.tsx';

export type Details = ResponseOf<typeof deviceApi.query>['dev'];

interface OverviewTabProps {
  readonly device: Device;
  /** Undefined until they are loaded. */
  readonly details: Details | undefined;
}

export function OverviewTab({ device, details }: OverviewTabProps) {
  return (
    <>
      <ProblemBanner device={device} text={details?.['problem-text']} />
      <div className={styles.columns}>
        <div className={styles.column}>
          <Panel title={<Trans>Live picture</Trans>} isFlush>
            <DevicePicture device={device} isWide />
          </Panel>
          <WayPanel device={device} />
          <HistoryPanel sn={device.sn} />
        </div>
        <div className={styles.column}>
          <IdentityPanel device={device} details={details} />
          <Panel title={<Trans>Load</Trans>}>
            <LoadFacts device={device} />
          </Panel>
        </div>
      </div>
    </>
  );
}

function ProblemBanner({ device, text }: { device: Device; text: string | undefined }) {
  const { i18n, t } = useLingui();
  const [first] = reasonsOf(device);
  const { problem } = device;
  if (first === undefined) return null;
  if (problem === undefined) return <Banner tone="warn" title={i18n._(first)} />;
  return (
    <Banner tone="fault" title={i18n._(first)}>
      {i18n._(remedyTexts[problem])}
      {text !== undefined && <span className={styles.cause}>{t`Details: ${text}`}</span>}
    </Banner>
  );
}

function IdentityPanel({ device, details }: OverviewTabProps) {
  const { t, i18n } = useLingui();
  const format = useFormat();
  const family = familyOf(device.module);
  const familyText = familyTexts[family];
  const group = useDeviceGroups().find(({ id }) => id !== 0 && id === device['catalog-id']);
  const facts = [
    { name: t`Model`, value: device['module-name'] },
    { name: t`Family`, value: typeof familyText === 'string' ? familyText : i18n._(familyText) },
    { name: t`Serial number`, value: shownSerial(device.sn, family) },
    { name: t`Hardware`, value: device['hardware-ver'] || <NoValue /> },
    { name: t`Firmware`, value: device['firmware-ver'] || <NoValue /> },
    { name: t`Device group`, value: group?.name ?? <NoValue /> },
    { name: t`Address`, value: details === undefined || details.address === '' ? <NoValue /> : details.address },
    { name: t`Reached`, value: device.link === 'agent' ? t`Through an agent` : t`Directly` },
    { name: t`Signal`, value: <SignalCell device={device} /> },
    { name: t`Uptime`, value: <UptimeCell seconds={device.status['up-time']} /> },
    {
      name: t`Online since`,
      value: device['online-date'] === 0 ? <NoValue /> : format.dateTime(device['online-date']),
    },
  ];
  return (
    <Panel title={<Trans>Device</Trans>}>
      <Facts facts={facts} />
    </Panel>
  );
}

function LoadFacts({ device: { figures } }: { device: Device }) {
  const { t } = useLingui();
  const format = useFormat();
  const percent = (value: number | undefined) =>
    value === undefined ? <NoValue /> : <Quantity amount={format.percent(value)} />;
  return (
    <Facts
      facts={[
        { name: t`CPU`, value: percent(figures.cpu) },
        { name: t`Memory`, value: percent(figures.memory) },
        {
          name: t`Temperature`,
          value:
            figures.temperature === undefined ? (
              <NoValue />
            ) : (
              <Quantity amount={{ value: format.number(figures.temperature), unit: '°C' }} />
            ),
        },
        { name: t`Received`, value: <RateCell kbps={figures['rx-kbps']} /> },
        { name: t`Sent`, value: <RateCell kbps={figures['tx-kbps']} /> },
      ]}
    />
  );
}

/** Who feeds whom: the device, the channel, and what the channel sends to. */
function WayPanel({ device }: { device: Device }) {
  const inputs = device['owner-i'] ?? [];
  const outputs = device['owner-o'] ?? [];
  const arrow = <IconArrowRight size={15} aria-hidden />;
  return (
    <Panel title={<Trans>Channels</Trans>}>
      {inputs.length + outputs.length === 0 && (
        <p className={styles.note}>
          <Trans>No channel uses this device.</Trans>
        </p>
      )}
      {inputs.map((name, at) => (
        <p key={name} className={styles.way}>
          {device.name} {arrow} <Link to={channelPath(device['owner-i-d']?.[at] ?? 0)}>{name}</Link>
        </p>
      ))}
      {outputs.map((name, at) => (
        <p key={name} className={styles.way}>
          <Link to={channelPath(device['owner-o-d']?.[at] ?? 0)}>{name}</Link> {arrow} {device.name}
        </p>
      ))}
    </Panel>
  );
}
