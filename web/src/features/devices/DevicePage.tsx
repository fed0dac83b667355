import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconDeviceTvOff } from '@tabler/icons-react';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router-dom';
import { familyOf } from '../../../../daemon/contract/device-catalog.ts';
import { useTopic } from '../../api/live.ts';
import { paths } from '../../lib/paths.ts';
import { devicesQuery, devicesTopic } from '../../shared/devices/devices-query.ts';
import { PageHeader } from '../../shared/page/PageHeader.tsx';
import { EmptyState } from '../../ui/layout/EmptyState.tsx';
import { DeviceDetail } from './detail/DeviceDetail.tsx';

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
