import { useLingui } from '@lingui/react/macro';
import { Checkbox, PasswordInput, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { Server } from '../../../../daemon/contract/servers.ts';
import { EncryptionFields } from '../../shared/sources/EncryptionFields.tsx';
import { LoginFields, SrtLinkFields } from '../../shared/sources/FormParts.tsx';
import type { ServerValues } from './server-form.ts';

interface FieldsProps {
  readonly form: UseFormReturnType<ServerValues>;
  /** The stored server of this type; its secrets are kept if their fields are left empty. */
  readonly kept: Server | undefined;
}

const loginNames = { auth: 'auth', user: 'user', password: 'password' } as const;

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
      <LoginFields form={form} names={loginNames} isKept={kept?.['password-set'] ?? false} />
    </>
  );
}

export function SrtServerFields({ form, kept }: FieldsProps) {
  const { t } = useLingui();
  const isListener = form.values.type === '3';
  return (
    <>
      <SrtLinkFields
        isListener={isListener}
        host={form.getInputProps('host')}
        port={form.getInputProps('port')}
        latency={form.getInputProps('latency')}
        overhead={form.getInputProps('overhead')}
      />
      {isListener && (
        <TextInput label={t`Max. receivers`} inputMode="numeric" {...form.getInputProps('maxConnections')} />
      )}
      <EncryptionFields
        keyLength={form.getInputProps('keyLength')}
        isOn={form.values.keyLength !== '0'}
        passphrase={form.getInputProps('passphrase')}
        isKept={kept?.['passphrase-set'] ?? false}
      />
    </>
  );
}

/** Which streams the server accepts, and the key of each. */
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
      <Checkbox label={t`Main stream`} {...form.getInputProps('mainStream', { type: 'checkbox' })} />
      {mainStream && (
        <PasswordInput
          label={isRtmp ? t`Main stream key` : t`Main stream ID`}
          visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the main stream key` }}
          {...secret(kept?.['main-key-set'])}
          {...form.getInputProps('mainKey')}
        />
      )}
      <Checkbox label={t`Sub stream`} {...form.getInputProps('subStream', { type: 'checkbox' })} />
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
