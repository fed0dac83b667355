import { Trans, useLingui } from '@lingui/react/macro';
import { familyOf } from '../../../../../daemon/contract/device-catalog.ts';
import type { Device } from '../../../../../daemon/contract/devices.ts';
import type { ResponseOf } from '../../../../../daemon/contract/endpoint.ts';
import type { deviceApi } from '../../../api/calls.ts';
import { useFormat } from '../../../i18n/useFormat.ts';
import { familyTexts, reasonsOf, remedyTexts, shownSerial } from '../../../shared/devices/device-look.ts';
import { useDeviceGroups } from '../../../shared/devices/groups-query.ts';
import { NoValue } from '../../../ui/data/Quantity.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Facts } from '../../../ui/layout/Facts.tsx';
import { Panel } from '../../../ui/layout/Panel.tsx';
import styles from '../DevicePage.module.css';
import { DeviceFigures } from './DeviceFigures.tsx';
import { HistoryPanel } from './HistoryPanel.tsx';
import { LivePicturePanel } from './LivePicturePanel.tsx';
import { SignalPathPanel } from './SignalPathPanel.tsx';

export type Details = ResponseOf<typeof deviceApi.query>['dev'];

interface OverviewTabProps {
  readonly device: Device;
  /** Undefined until they are loaded. */
  readonly details: Details | undefined;
  /** Opens the dialog that connects the device to a channel. */
  readonly connect: () => void;
}

export function OverviewTab({ device, details, connect }: OverviewTabProps) {
  return (
    <>
      <ProblemBanner device={device} text={details?.['problem-text']} />
      <DeviceFigures device={device} />
      <div className={styles.columns}>
        <LivePicturePanel device={device} details={details} />
        <IdentityPanel device={device} details={details} />
      </div>
      <SignalPathPanel device={device} connect={connect} />
      <HistoryPanel sn={device.sn} />
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

export function IdentityPanel({ device, details }: Omit<OverviewTabProps, 'connect'>) {
  const { t, i18n } = useLingui();
  const format = useFormat();
  const family = familyOf(device.module);
  const familyText = familyTexts[family];
  const group = useDeviceGroups().find(({ id }) => id !== 0 && id === device['catalog-id']);
  const facts = [
    { name: t`Model`, value: <span translate="no">{device['module-name']}</span> },
    {
      name: t`Family`,
      value: typeof familyText === 'string' ? <span translate="no">{familyText}</span> : i18n._(familyText),
    },
    { name: t`Serial number`, value: shownSerial(device.sn, family) },
    { name: t`Hardware`, value: device['hardware-ver'] || <NoValue /> },
    { name: t`Firmware`, value: device['firmware-ver'] || <NoValue /> },
    ...(details?.facts?.scene === undefined ? [] : [{ name: t`Scene on program`, value: details.facts.scene }]),
    { name: t`Device group`, value: group?.name ?? <NoValue /> },
    { name: t`Address`, value: details === undefined || details.address === '' ? <NoValue /> : details.address },
    { name: t`Reached`, value: device.link === 'agent' ? t`Through an agent` : t`Directly` },
    {
      name: device.connection === 'offline' ? t`Offline since` : t`Online since`,
      value: device.since === 0 ? <NoValue /> : format.dateTime(device.since),
    },
  ];
  return (
    <Panel title={<Trans>Device</Trans>}>
      <Facts facts={facts} />
    </Panel>
  );
}
