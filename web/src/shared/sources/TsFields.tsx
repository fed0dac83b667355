import { useLingui } from '@lingui/react/macro';
import { TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import styles from './SourceDialog.module.css';
import type { SourceValues } from './source-values.ts';

/** The parts of a transport stream that an input selects. */
export function TsFields({ form }: { readonly form: UseFormReturnType<SourceValues> }) {
  const { t } = useLingui();
  return (
    <div className={styles.halves}>
      <TextInput
        label={t`TS program number`}
        placeholder={form.values.tsAudioTrack.trim() === '' ? t`Whole stream` : t`The first`}
        inputMode="numeric"
        {...form.getInputProps('tsProgram')}
      />
      <TextInput
        label={t`Audio track`}
        placeholder={t`All`}
        inputMode="numeric"
        {...form.getInputProps('tsAudioTrack')}
      />
    </div>
  );
}
