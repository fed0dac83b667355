import { Trans, useLingui } from '@lingui/react/macro';
import { Button, SegmentedControl } from '@mantine/core';
import { IconDeviceTvOff, IconDotsVertical, IconPencil } from '@tabler/icons-react';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearchParams } from 'react-router-dom';
import { familyOf } from '../../../../daemon/contract/device-catalog.ts';
import type { Device } from '../../../../daemon/contract/devices.ts';
import { useTopic } from '../../api/live.ts';
import { useMay } from '../../api/session.ts';
import { paths } from '../../lib/paths.ts';
import { deviceQuery, devicesQuery, devicesTopic } from '../../shared/devices/devices-query.ts';
import { PageHeader } from '../../shared/page/PageHeader.tsx';
import { EmptyState } from '../../ui/layout/EmptyState.tsx';
import { DropMenu } from '../../ui/overlay/DropMenu.tsx';
import { useDialogAddress } from '../../ui/overlay/dialog-address.ts';
import { DeviceDialogs } from './DeviceDialogs.tsx';
import styles from './DevicePage.module.css';
import { useDeviceItems } from './DeviceRowActions.tsx';
import { NetworkTab } from './detail/NetworkTab.tsx';
import { OverviewTab } from './detail/OverviewTab.tsx';
import { StorageTab } from './detail/StorageTab.tsx';
import { StreamsTab } from './detail/StreamsTab.tsx';
import { StateCell } from './device-cells.tsx';

export default function DevicePage() {
  const { t } = useLingui();
  const { sn } = useParams();
  useTopic(devicesTopic, true);
  const device = useSuspenseQuery(devicesQuery).data.find((one) => one.sn === sn);
  // The specification has no page for devices of other makes that the hub only lists.
  if (device !== undefined && familyOf(device.module) !== 'others') return <DeviceDetail key={sn} device={device} />;
  return (
    <>
      <PageHeader title={t`Device`} />
      <EmptyState
        icon={IconDeviceTvOff}
        title={
          device === undefined ? <Trans>This device does not exist</Trans> : <Trans>This device has no page</Trans>
        }
        action={
          <Button component={Link} to={paths.devices} variant="default">
            <Trans>All devices</Trans>
          </Button>
        }
      >
        {device === undefined ? (
          <Trans>Another user may have deleted it.</Trans>
        ) : (
          <Trans>The hub only lists devices of this family.</Trans>
        )}
      </EmptyState>
    </>
  );
}

const tabs = ['overview', 'network', 'streams', 'storage'] as const;

function DeviceDetail({ device }: { device: Device }) {
  const { t } = useLingui();
  const dialog = useDialogAddress();
  const navigate = useNavigate();
  const mayEdit = useMay('deviceAdvanced');
  const items = useDeviceItems(device, dialog.open, () => void navigate(paths.devices));
  const details = useQuery(deviceQuery(device.sn)).data;
  const [query, setQuery] = useSearchParams();
  const tab = tabs.find((name) => name === query.get('tab')) ?? 'overview';
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
  return (
    <>
      <PageHeader
        title={device.name}
        isObject
        aside={
          <>
            <StateCell device={device} isProminent />
            <SegmentedControl
              size="xs"
              aria-label={t`Which part of the device`}
              data={[
                { value: 'overview', label: t`Overview` },
                { value: 'network', label: t`Network` },
                { value: 'streams', label: t`Streams` },
                { value: 'storage', label: t`Storage` },
              ]}
              value={tab}
              onChange={choose}
            />
          </>
        }
        actions={
          <>
            {mayEdit && (
              <Button
                variant="default"
                leftSection={<IconPencil size={16} aria-hidden />}
                onClick={() => dialog.open('edit', device.id)}
              >
                <Trans>Edit</Trans>
              </Button>
            )}
            <DropMenu
              label={t`More actions for ${device.name}`}
              trigger={<IconDotsVertical size={17} aria-hidden />}
              items={items}
            />
          </>
        }
      />
      <div className={styles.page}>
        {tab === 'overview' && <OverviewTab device={device} details={details} />}
        {tab === 'network' && <NetworkTab facts={details?.facts} />}
        {tab === 'streams' && <StreamsTab facts={details?.facts} />}
        {tab === 'storage' && <StorageTab facts={details?.facts} />}
      </div>
      <DeviceDialogs device={device} dialog={dialog} />
    </>
  );
}
