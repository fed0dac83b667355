import { Trans, useLingui } from '@lingui/react/macro';
import { PasswordInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { DeviceAddress, DeviceName } from '../../../../daemon/contract/device-fields.ts';
import type { Device } from '../../../../daemon/contract/devices.ts';
import type { ResponseOf } from '../../../../daemon/contract/endpoint.ts';
import type { deviceApi } from '../../api/calls.ts';
import { deviceQuery } from '../../shared/devices/devices-query.ts';
import { FormDialog } from '../../shared/editing/DialogForm.tsx';
import { showToast } from '../../ui/feedback/toasts.ts';
import { faultAt } from '../../ui/form/schema-form.ts';
import { useEditedForm } from '../../ui/form/useEditedForm.ts';
import { changeDevice } from './device-calls.ts';
import { checkOscPort, OscField, oscPortOf } from './OscField.tsx';
import { checkStream, StreamFields } from './StreamFields.tsx';

type Details = ResponseOf<typeof deviceApi.query>['dev'];

interface EditDeviceDialogProps {
  readonly device: Device;
  readonly onClose: () => void;
}

export default function EditDeviceDialog({ device, onClose }: EditDeviceDialogProps) {
  const details = useQuery(deviceQuery(device.sn)).data;
  return details === undefined ? null : <EditForm details={details} onClose={onClose} />;
}

interface EditValues {
  readonly name: string;
  readonly address: string;
  readonly user: string;
  readonly password: string;
  readonly pin: string;
  readonly snapshot: string;
  readonly 'osc-port': string;
}

function EditForm({ details, onClose }: { details: Details; onClose: () => void }) {
  const { t } = useLingui();
  const { sn } = details;
  const isStream = details.driver === 'stream';
  const isOsc = details.driver === 'v1';
  const isDirect = details.link === 'direct' && !isStream;
  const fields = useEditedForm<Details, EditValues>({
    ...{ now: details, revision: details.revision, queryKey: deviceQuery(sn).queryKey },
    valuesOf: ({ name, address, user, pin, snapshot = '', 'osc-port': oscPort } = details) => ({
      ...{ name, address, user, pin, snapshot, password: '', 'osc-port': String(oscPort ?? '') },
    }),
    check: ({ name, address, snapshot, 'osc-port': oscPort }) => ({
      ...(isOsc && checkOscPort(oscPort)),
      ...faultAt('name', DeviceName, name),
      ...(isStream && checkStream({ address, snapshot })),
      ...(isDirect && faultAt('address', DeviceAddress, address)),
    }),
  });
  const { form, base = details, edit } = fields;
  const hasMoved = form.values.address !== base.address;
  const save = async ({ name, address, user, password, pin, snapshot, 'osc-port': oscPort }: EditValues) => {
    const way = isDirect ? { address, pin } : isStream ? { address, snapshot } : {};
    const login = isOsc ? { 'osc-port': oscPortOf(oscPort) } : { user, ...(password !== '' && { password }) };
    await changeDevice({ sn, name, ...way, ...login, revision: edit.basis() });
    showToast('success', t`“${name}” was saved.`);
  };
  return (
    <FormDialog
      title={t`Edit device “${base.name}”`}
      fields={fields}
      save={save}
      verb={<Trans>Save</Trans>}
      onClose={onClose}
    >
      <TextInput
        label={t`Name`}
        description={isStream || isOsc ? undefined : t`Also renames the device itself while it is online.`}
        data-autofocus
        {...form.getInputProps('name')}
      />
      {isDirect && (
        <TextInput
          label={t`Address`}
          placeholder="192.168.1.20"
          autoComplete="off"
          {...form.getInputProps('address')}
        />
      )}
      {isStream ? (
        <StreamFields
          propsOf={(field) => form.getInputProps(field)}
          passwordPlaceholder={base['password-set'] ? t`Unchanged` : ''}
        />
      ) : isOsc ? (
        <OscField input={form.getInputProps('osc-port')} />
      ) : (
        <>
          <TextInput label={t`Username on the device`} autoComplete="off" {...form.getInputProps('user')} />
          <PasswordInput
            label={t`Password on the device`}
            description={hasMoved ? t`A new address needs the password again.` : undefined}
            placeholder={base['password-set'] && !hasMoved ? t`Unchanged` : ''}
            autoComplete="new-password"
            visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the password` }}
            {...form.getInputProps('password')}
          />
        </>
      )}
      {isDirect && (
        <TextInput
          label={t`Accepted certificate (SHA-256)`}
          description={t`Only for HTTPS with a certificate that no authority has signed.`}
          autoComplete="off"
          {...form.getInputProps('pin')}
        />
      )}
    </FormDialog>
  );
}
