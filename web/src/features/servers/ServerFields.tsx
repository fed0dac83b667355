import { useLingui } from '@lingui/react/macro';
import { Checkbox, NativeSelect, PasswordInput, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { Server } from '../../../../daemon/contract/servers.ts';
import styles from '../sources/SourceDialog.module.css';
import type { ServerValues } from './server-form.ts';

interface FieldsProps {
  readonly form: UseFormReturnType<ServerValues>;
  /** What is stored of this type; its secrets stay when their fields are left empty. */
  readonly kept: Server | undefined;
}

export function RtmpServerFields({ form, kept }: FieldsProps) {
  const { t } = useLingui();
  return (
    <>
      <TextInput
        label={t`Server`}
        placeholder="rtmp://live.example.com/app"
        spellCheck={false}
        {...form.getInputProps('url')}
      />
      <Checkbox
        label={t`The server asks for a user name and password`}
        {...form.getInputProps('auth', { type: 'checkbox' })}
      />
      {form.values.auth && (
        <div className={styles.halves}>
          <TextInput label={t`User name`} autoComplete="off" {...form.getInputProps('user')} />
          <PasswordInput
            label={t`Password`}
            autoComplete="new-password"
            placeholder={kept?.['password-set'] ? t`Unchanged` : ''}
            visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the password` }}
            {...form.getInputProps('password')}
          />
        </div>
      )}
    </>
  );
}

export function SrtServerFields({ form, kept }: FieldsProps) {
  const { t } = useLingui();
  const isListener = form.values.type === '3';
  return (
    <>
      <div className={styles.row}>
        <TextInput
          label={isListener ? t`Local address` : t`Host`}
          placeholder={isListener ? t`Every address of the hub` : ''}
          spellCheck={false}
          {...form.getInputProps('host')}
        />
        <TextInput label={t`Port`} inputMode="numeric" {...form.getInputProps('port')} />
      </div>
      <div className={styles.halves}>
        <TextInput
          label={t`Latency`}
          inputMode="numeric"
          rightSection="ms"
          rightSectionWidth={40}
          {...form.getInputProps('latency')}
        />
        <TextInput
          label={t`Bandwidth overhead`}
          inputMode="numeric"
          rightSection="%"
          {...form.getInputProps('overhead')}
        />
      </div>
      {isListener && (
        <TextInput label={t`Most receivers at a time`} inputMode="numeric" {...form.getInputProps('maxConnections')} />
      )}
      <div className={styles.halves}>
        <NativeSelect
          label={t`Encryption`}
          data={[
            { value: '0', label: t`Disabled` },
            { value: '16', label: 'AES-128' },
            { value: '24', label: 'AES-192' },
            { value: '32', label: 'AES-256' },
          ]}
          {...form.getInputProps('keyLength')}
        />
        {form.values.keyLength !== '0' && (
          <PasswordInput
            label={t`Passphrase`}
            autoComplete="new-password"
            placeholder={kept?.['passphrase-set'] ? t`Unchanged` : ''}
            visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the passphrase` }}
            {...form.getInputProps('passphrase')}
          />
        )}
      </div>
    </>
  );
}

/** Which streams the server takes, and the key of each. */
export function StreamFields({ form, kept }: FieldsProps) {
  const { t } = useLingui();
  const { type, mainStream, subStream } = form.values;
  const isRtmp = type === '1';
  const secret = (isSet: boolean | undefined) => ({
    autoComplete: 'off',
    placeholder: isSet ? t`Unchanged` : isRtmp ? '' : t`None`,
  });
  return (
    <>
      <Checkbox label={t`Takes a main stream`} {...form.getInputProps('mainStream', { type: 'checkbox' })} />
      {mainStream && (
        <PasswordInput
          label={isRtmp ? t`Main stream key` : t`Main stream ID`}
          visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the main stream key` }}
          {...secret(kept?.['main-key-set'])}
          {...form.getInputProps('mainKey')}
        />
      )}
      <Checkbox label={t`Takes a sub stream`} {...form.getInputProps('subStream', { type: 'checkbox' })} />
      {subStream && (
        <PasswordInput
          label={isRtmp ? t`Sub stream key` : t`Sub stream ID`}
          visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the sub stream key` }}
          {...secret(kept?.['sub-key-set'])}
          {...form.getInputProps('subKey')}
        />
      )}
    </>
  );
}
