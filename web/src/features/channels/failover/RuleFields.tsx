import { Trans, useLingui } from '@lingui/react/macro';
import { NativeSelect, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import styles from './FailoverDialog.module.css';
import type { FailoverValues } from './failover-form.ts';

/** Rules for switching to the backup and back to the main input. */
export function RuleFields({ form }: { form: UseFormReturnType<FailoverValues> }) {
  const { t } = useLingui();
  const hasFault = ['noData', 'noVideo', 'noAudio'].some((field) => form.errors[field] !== undefined);
  return (
    <>
      <NativeSelect
        label={t`Backup mode`}
        data={[
          { value: 'hot', label: t`Hot standby: takes over within 0.5 s` },
          { value: 'cold', label: t`Cold standby: saves bandwidth, takes a few seconds` },
        ]}
        {...form.getInputProps('standby')}
      />
      <div className={form.values.back === 'stable' ? styles.withNumber : undefined}>
        <NativeSelect
          label={t`Back to the main input`}
          data={[
            { value: 'stable', label: t`Automatically, after it has been stable for` },
            { value: 'hand', label: t`Manually; the page shows when the main input has recovered` },
            { value: 'never', label: t`Only when the backup is lost` },
          ]}
          {...form.getInputProps('back')}
        />
        {form.values.back === 'stable' && (
          <TextInput
            label={t`Stable for`}
            inputMode="numeric"
            rightSection={t`s`}
            rightSectionWidth={40}
            {...form.getInputProps('stable')}
          />
        )}
      </div>
      <details className={styles.advanced} {...(hasFault && { open: true })}>
        <summary>
          <Trans>When an input counts as lost</Trans>
        </summary>
        <div className={styles.thirds}>
          <Milliseconds label={t`No data for`} props={form.getInputProps('noData')} />
          <Milliseconds label={t`No video for`} props={form.getInputProps('noVideo')} />
          <Milliseconds label={t`No audio for`} props={form.getInputProps('noAudio')} />
        </div>
        <p className={styles.hint}>
          <Trans>Video and audio: 0 turns the check off.</Trans>
        </p>
      </details>
    </>
  );
}

function Milliseconds({ label, props }: { label: string; props: object }) {
  return <TextInput label={label} inputMode="numeric" rightSection="ms" rightSectionWidth={40} {...props} />;
}
