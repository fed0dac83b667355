import { useLingui } from '@lingui/react/macro';
import { Checkbox, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { SecretInput } from '../../ui/form/SecretInput.tsx';
import { LoginFields } from './FormParts.tsx';
import { pullLogin } from './forms/pull-form.ts';
import styles from './SourceDialog.module.css';
import type { SourceValues } from './source-values.ts';

interface PullFieldsProps {
  readonly form: UseFormReturnType<SourceValues>;
  readonly isRtsp: boolean;
  readonly hasPassword: boolean;
  /** Records that the stored URL is revealed; undefined if it contains no secret. */
  readonly reveal: (() => Promise<unknown>) | undefined;
}

/** Fields of pulled sources: RTSP, or TS and HLS over HTTP. */
export function PullFields({ form, isRtsp, hasPassword, reveal }: PullFieldsProps) {
  const { t } = useLingui();
  return (
    <>
      {reveal === undefined ? (
        <TextInput
          label={t`URL`}
          placeholder={isRtsp ? 'rtsp://camera.example.com/stream1' : 'http://origin.example.com/live/index.m3u8'}
          spellCheck={false}
          {...form.getInputProps('pullUrl')}
        />
      ) : (
        <SecretInput
          label={t`URL`}
          toggle={t`Show or hide the URL`}
          reveal={reveal}
          {...form.getInputProps('pullUrl')}
        />
      )}
      <div className={styles.halves}>
        <TextInput
          label={t`Buffer`}
          inputMode="numeric"
          rightSection="ms"
          rightSectionWidth={40}
          {...form.getInputProps('pullBuffer')}
        />
      </div>
      {isRtsp && <Checkbox label={t`Prefer TCP`} {...form.getInputProps('pullTcpFirst', { type: 'checkbox' })} />}
      <LoginFields form={form} names={pullLogin} isKept={hasPassword} />
    </>
  );
}
