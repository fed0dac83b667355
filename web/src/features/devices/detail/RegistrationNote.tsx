import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import { regStates } from '../../../../../daemon/contract/device-states.ts';
import type { Device } from '../../../../../daemon/contract/devices.ts';
import { useMay } from '../../../api/session.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import styles from '../DevicePage.module.css';
import { useDeviceAct } from '../DeviceRowActions.tsx';
import { acceptDevices, rejectDevices } from '../device-calls.ts';

/** What is to be done about a device that is not accepted. */
export function RegistrationNote({ device }: { device: Device }) {
  const { t } = useLingui();
  const mayApprove = useMay('deviceAdvanced');
  const act = useDeviceAct(device);
  const { sn, name } = device;
  const isPending = device['reg-state'] === regStates.pending;
  return (
    <>
      <Banner
        tone={isPending ? 'info' : 'warn'}
        title={isPending ? <Trans>This device waits for approval</Trans> : <Trans>This device was rejected</Trans>}
      >
        {isPending ? (
          <Trans>Until it is accepted, the hub does not poll it. Compare the serial number first.</Trans>
        ) : (
          <Trans>The hub does not poll it. You can still accept it.</Trans>
        )}
      </Banner>
      {mayApprove && (
        <div className={styles.acts}>
          <Button
            leftSection={<IconCheck size={16} aria-hidden />}
            onClick={() => act(() => acceptDevices({ sn }), t`“${name}” was accepted.`)}
          >
            <Trans>Accept</Trans>
          </Button>
          {isPending && (
            <Button
              variant="default"
              leftSection={<IconX size={16} aria-hidden />}
              onClick={() => act(() => rejectDevices({ sn }), t`“${name}” was rejected.`)}
            >
              <Trans>Reject</Trans>
            </Button>
          )}
        </div>
      )}
    </>
  );
}
