import { useLingui } from '@lingui/react/macro';
import { PasswordInput, TextInput } from '@mantine/core';
import { DeviceStreamUrl, SnapshotAddress } from '../../../../daemon/contract/device-fields.ts';
import { faultAt } from '../../ui/form/schema-form.ts';
import styles from './AddDeviceDialog.module.css';

type Field = 'address' | 'user' | 'password' | 'snapshot';

interface StreamFieldsProps {
  readonly propsOf: (field: Field) => object;
  /** Shown in the empty field of the password. */
  readonly passwordPlaceholder?: string;
}

/** Address, login and picture of a device that is a stream. */
export function StreamFields({ propsOf, passwordPlaceholder }: StreamFieldsProps) {
  const { t } = useLingui();
  return (
    <>
      <TextInput
        label={t`Address of the stream`}
        description={t`For devices of any make: an RTSP, SRT, RTMP or HTTP stream that the hub opens itself.`}
        placeholder="rtsp://192.168.1.20/live"
        autoComplete="off"
        spellCheck={false}
        {...propsOf('address')}
      />
      <div className={styles.halves}>
        <TextInput label={t`Username`} autoComplete="off" {...propsOf('user')} />
        <PasswordInput
          label={t`Password`}
          placeholder={passwordPlaceholder}
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the password` }}
          {...propsOf('password')}
        />
      </div>
      <TextInput
        label={t`Address of the picture (optional)`}
        description={t`Where the device provides a JPEG: a path, or an HTTP address on the same host.`}
        placeholder="/snapshot.jpg"
        autoComplete="off"
        spellCheck={false}
        {...propsOf('snapshot')}
      />
    </>
  );
}

export function checkStream({ address, snapshot }: { readonly address: string; readonly snapshot: string }) {
  return { ...faultAt('address', DeviceStreamUrl, address), ...faultAt('snapshot', SnapshotAddress, snapshot) };
}
