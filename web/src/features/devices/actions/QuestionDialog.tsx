import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Stack } from '@mantine/core';
import type { DeviceAction } from '../../../../../daemon/contract/device-actions.ts';
import type { Device } from '../../../../../daemon/contract/devices.ts';
import { actionLooks } from '../../../shared/devices/action-look.ts';
import { actOnDevice } from '../../../shared/devices/device-acts.ts';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import styles from './actions.module.css';
import { ImpactText } from './ImpactText.tsx';

interface QuestionDialogProps {
  readonly action: DeviceAction;
  readonly device: Device;
  readonly onClose: () => void;
}

/** Asks before a device restarts or stops sending, and says who loses what. */
export default function QuestionDialog({ action, device, onClose }: QuestionDialogProps) {
  const { i18n, t } = useLingui();
  const { name } = device;
  const isReboot = action === 'reboot';
  const begin = () => {
    onClose();
    actOnDevice(device, action);
  };
  return (
    <Dialog title={isReboot ? t`Restart “${name}”?` : t`Stop the stream of “${name}”?`} onClose={onClose} size={440}>
      <Stack gap="md">
        {isReboot && (
          <p>
            <Trans>It is back after about a minute.</Trans>
          </p>
        )}
        <ImpactText action={action} devices={[device]} />
        <div className={styles.foot}>
          <Button variant="default" onClick={onClose} data-autofocus>
            <Trans>Cancel</Trans>
          </Button>
          <Button color="fault" onClick={begin}>
            {i18n._(actionLooks[action].verb)}
          </Button>
        </div>
      </Stack>
    </Dialog>
  );
}
