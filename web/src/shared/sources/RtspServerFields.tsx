import { useLingui } from '@lingui/react/macro';
import { TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { LoginFields } from './FormParts.tsx';
import { servedLogin } from './forms/rtsp-server-form.ts';
import styles from './SourceDialog.module.css';
import type { SourceValues } from './source-values.ts';

interface RtspServerFieldsProps {
  readonly form: UseFormReturnType<SourceValues>;
  readonly hasPassword: boolean;
}

/** An output from which players pull over RTSP. */
export function RtspServerFields({ form, hasPassword }: RtspServerFieldsProps) {
  const { t } = useLingui();
  return (
    <>
      <div className={styles.row}>
        <TextInput
          label={t`Path`}
          description={t`Outputs may share a port when their paths differ.`}
          placeholder="stage"
          spellCheck={false}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...form.getInputProps('servedKey')}
        />
        <TextInput label={t`Port`} inputMode="numeric" {...form.getInputProps('servedPort')} />
      </div>
      <div className={styles.halves}>
        <TextInput label={t`Max. players`} inputMode="numeric" {...form.getInputProps('servedMaxClients')} />
      </div>
      <LoginFields
        form={form}
        names={servedLogin}
        isKept={hasPassword}
        label={t`Require a username and password from players`}
      />
    </>
  );
}
