import { Trans, useLingui } from '@lingui/react/macro';
import { TextInput } from '@mantine/core';
import { NewDeviceName } from '../../../../../daemon/contract/device-fields.ts';
import type { Device } from '../../../../../daemon/contract/devices.ts';
import { actionFaultText } from '../../../i18n/device-action-text.ts';
import { tellDevice } from '../../../shared/devices/device-acts.ts';
import { FormDialog } from '../../../shared/editing/DialogForm.tsx';
import { showToast } from '../../../ui/feedback/toasts.ts';
import { faultAt } from '../../../ui/form/schema-form.ts';
import { useSchemaForm } from '../../../ui/form/useSchemaForm.ts';

interface RenameDialogProps {
  readonly device: Device;
  readonly onClose: () => void;
}

/** Renames the device itself; it may take a while to be back. */
export default function RenameDialog({ device, onClose }: RenameDialogProps) {
  const { t, i18n } = useLingui();
  const { sn, name: before } = device;
  const fields = useSchemaForm({
    initial: { name: before },
    check: ({ name }) => faultAt('name', NewDeviceName, name),
    fieldOf: (path) => path.replace('params.', ''),
  });
  const save = ({ name }: { readonly name: string }) => {
    // The device may need half a minute; the dialog does not wait for it.
    void tellDevice(sn, 'rename', name)
      .then(() => showToast('success', t`“${before}” is now called “${name}”.`, `device-${sn}`))
      .catch((error: unknown) => showToast('error', `${before}: ${actionFaultText(i18n, error)}`, `device-${sn}`));
    return Promise.resolve();
  };
  return (
    <FormDialog
      title={t`Rename “${before}”`}
      fields={fields}
      save={save}
      verb={<Trans>Rename</Trans>}
      onClose={onClose}
      isDisabled={fields.form.values.name === before}
    >
      <TextInput
        label={t`Name`}
        description={t`1 to 32 characters. Most devices allow letters, digits, spaces and . _ - + ' [ ] ( ) ,`}
        data-autofocus
        {...fields.form.getInputProps('name')}
      />
      {device.api === 'mwapi' && (
        <p>
          <Trans>The device does not answer for up to a minute after that.</Trans>
        </p>
      )}
    </FormDialog>
  );
}
