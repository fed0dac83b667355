import { useLingui } from '@lingui/react/macro';
import { TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { SecretInput } from '../../ui/form/SecretInput.tsx';
import { HeldField, LoginFields } from './FormParts.tsx';
import { rtmpLogin } from './forms/rtmp-form.ts';
import styles from './SourceDialog.module.css';
import type { SourceValues } from './source-values.ts';

const ServiceFields = deferredPart(() => import('./ServiceFields.tsx'));

interface RtmpFieldsProps {
  readonly form: UseFormReturnType<SourceValues>;
  readonly hasPassword: boolean;
  readonly isInput: boolean;
  /** Records that the stored key is revealed; undefined without one. */
  readonly reveal: (() => Promise<unknown>) | undefined;
}

export function RtmpFields({ form, hasPassword, isInput, reveal }: RtmpFieldsProps) {
  const { t } = useLingui();
  return (
    <>
      {!isInput && <ServiceFields form={form} />}
      <TextInput
        label={t`Server`}
        placeholder="rtmp://live.example.com/app"
        spellCheck={false}
        {...form.getInputProps('rtmpUrl')}
      />
      <SecretInput
        label={t`Stream key`}
        toggle={t`Show or hide the stream key`}
        reveal={reveal}
        placeholder={form.values.isKeyKept ? t`Unchanged` : ''}
        {...form.getInputProps('rtmpKey')}
      />
      {isInput && (
        <div className={styles.halves}>
          <HeldField value={form.getInputProps('heldFor')} />
        </div>
      )}
      <LoginFields form={form} names={rtmpLogin} isKept={hasPassword} />
    </>
  );
}
