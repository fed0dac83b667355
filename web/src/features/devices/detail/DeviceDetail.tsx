import { Trans, useLingui } from '@lingui/react/macro';
import { ActionIcon, Button, SegmentedControl } from '@mantine/core';
import { IconDotsVertical, IconExternalLink, IconPencil, IconStar, IconStarFilled } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useNavigate, useSearchParams } from 'react-router-dom';
import type { Device } from '../../../../../daemon/contract/devices.ts';
import { useMay, useSession } from '../../../api/session.ts';
import { deferredPart } from '../../../lib/lazy-part.tsx';
import { paths } from '../../../lib/paths.ts';
import { consoleBlocked, consoleText, openConsole } from '../../../shared/devices/device-console.ts';
import { deviceQuery } from '../../../shared/devices/devices-query.ts';
import { PageHeader } from '../../../shared/page/PageHeader.tsx';
import { DropMenu } from '../../../ui/overlay/DropMenu.tsx';
import { type DialogAddress, useDialogAddress } from '../../../ui/overlay/dialog-address.ts';
import { WithReason } from '../../../ui/overlay/WithReason.tsx';
import { ActButtons } from '../actions/ActButtons.tsx';
import { DeviceDialogs } from '../DeviceDialogs.tsx';
import styles from '../DevicePage.module.css';
import { useDeviceAct, useDeviceItems } from '../DeviceRowActions.tsx';
import { favorDevices } from '../device-calls.ts';
import { isAccepted, StateCell } from '../device-cells.tsx';
import { NetworkTab } from './NetworkTab.tsx';
import { type Details, IdentityPanel, OverviewTab } from './OverviewTab.tsx';
import { RegistrationNote } from './RegistrationNote.tsx';
import { StorageTab } from './StorageTab.tsx';
import { StreamsTab } from './StreamsTab.tsx';

const ForwardsPanel = deferredPart(() => import('../forwards/ForwardsPanel.tsx'));
const LogTab = deferredPart(() => import('./LogTab.tsx'));
const SecurityTab = deferredPart(() => import('../security/SecurityTab.tsx'));

const tabs = ['overview', 'network', 'streams', 'storage', 'log', 'security'] as const;
type Tab = (typeof tabs)[number];

/** A device with all its parts; the chosen one is in the address. */
export function DeviceDetail({ device }: { device: Device }) {
  const dialog = useDialogAddress();
  const details = useQuery(deviceQuery(device.sn)).data;
  const accepted = isAccepted(device);
  return (
    <>
      <PageHeader
        title={device.name}
        isObject
        aside={
          <>
            <StateCell device={device} isProminent />
            {accepted && <FavoriteButton device={device} />}
          </>
        }
        actions={<HeadActions device={device} open={dialog.open} />}
      />
      <div className={styles.page}>
        {accepted ? (
          <Tabs device={device} details={details} open={dialog.open} />
        ) : (
          <>
            <RegistrationNote device={device} />
            <IdentityPanel device={device} details={details} />
          </>
        )}
      </div>
      <DeviceDialogs device={device} dialog={dialog} />
    </>
  );
}

interface TabsProps {
  readonly device: Device;
  readonly details: Details | undefined;
  readonly open: DialogAddress['open'];
}

function Tabs({ device, details, open }: TabsProps) {
  const { t } = useLingui();
  const maySecure = useMay('deviceSecurity');
  const [query, setQuery] = useSearchParams();
  const bar = useRef<HTMLDivElement>(null);
  const shown = tabs.filter((name) => name !== 'security' || maySecure);
  const tab = shown.find((name) => name === query.get('tab')) ?? 'overview';
  const choose = (next: string) =>
    setQuery(
      (before) => {
        const changed = new URLSearchParams(before);
        if (next === 'overview') changed.delete('tab');
        else changed.set('tab', next);
        return changed;
      },
      { replace: true },
    );
  // On a phone the chosen part may be beyond the edge.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the bar shows what is chosen
  useEffect(() => {
    bar.current?.querySelector('input:checked + label')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [tab]);
  const names: Record<Tab, string> = {
    ...{ overview: t`Overview`, network: t`Network`, streams: t`Streams`, storage: t`Storage`, log: t`Log` },
    security: t`Security`,
  };
  return (
    <>
      <div ref={bar} className={styles.tabs}>
        <SegmentedControl
          size="sm"
          aria-label={t`Which part of the device`}
          data={shown.map((value) => ({ value, label: names[value] }))}
          value={tab}
          onChange={choose}
        />
      </div>
      {tab === 'overview' && (
        <OverviewTab device={device} details={details} connect={() => open('connect', device.id)} />
      )}
      {tab === 'network' && (
        <>
          <NetworkTab facts={details?.facts} />
          <ForwardsPanel device={device} />
        </>
      )}
      {tab === 'streams' && <StreamsTab facts={details?.facts} />}
      {tab === 'storage' && <StorageTab facts={details?.facts} />}
      {tab === 'log' && <LogTab device={device} />}
      {tab === 'security' && <SecurityTab device={device} edit={() => open('security', device.id)} />}
    </>
  );
}

function HeadActions({ device, open }: Omit<TabsProps, 'details'>) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const mayEdit = useMay('deviceAdvanced');
  const items = useDeviceItems(device, open, () => void navigate(paths.devices));
  return (
    <>
      {isAccepted(device) && <ActButtons device={device} open={open} />}
      {isAccepted(device) && <ConsoleButton device={device} />}
      {mayEdit && isAccepted(device) && (
        <Button
          variant="default"
          leftSection={<IconPencil size={16} aria-hidden />}
          onClick={() => open('edit', device.id)}
        >
          <Trans>Edit</Trans>
        </Button>
      )}
      {items().length > 0 && (
        <DropMenu
          label={t`More actions for ${device.name}`}
          trigger={<IconDotsVertical size={17} aria-hidden />}
          items={items}
        />
      )}
    </>
  );
}

/** Opens the web page of the device in a tab of its own. */
function ConsoleButton({ device }: { device: Device }) {
  const { i18n } = useLingui();
  const mayOpen = useMay('deviceControl');
  const reason = consoleBlocked(device);
  if (!mayOpen) return null;
  return (
    <WithReason reason={reason && i18n._(reason)}>
      <Button
        variant="default"
        leftSection={<IconExternalLink size={16} aria-hidden />}
        onClick={() => openConsole(device)}
      >
        {i18n._(consoleText)}
      </Button>
    </WithReason>
  );
}

function FavoriteButton({ device }: { device: Device }) {
  const { t } = useLingui();
  const { id: user } = useSession();
  const act = useDeviceAct(device);
  const { sn } = device;
  const isFavorite = (device['is-favorite'] & user) !== 0;
  return (
    <ActionIcon
      size={32}
      variant="subtle"
      color="gray"
      className={styles.star ?? ''}
      aria-pressed={isFavorite}
      data-favorite={isFavorite}
      aria-label={t`Favorite`}
      title={isFavorite ? t`Remove from favorites` : t`Add to favorites`}
      onClick={() => act(() => favorDevices({ sn, enable: !isFavorite }))}
    >
      {isFavorite ? <IconStarFilled size={17} aria-hidden /> : <IconStar size={17} stroke={1.7} aria-hidden />}
    </ActionIcon>
  );
}
