import { Trans, useLingui } from '@lingui/react/macro';
import { Checkbox, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import styles from './SourceDialog.module.css';
import type { SourceValues } from './source-form.ts';

interface NdiFieldsProps {
  readonly form: UseFormReturnType<SourceValues>;
  readonly isInput: boolean;
}

export function NdiFields({ form, isInput }: NdiFieldsProps) {
  const { t } = useLingui();
  return (
    <>
      <TextInput
        label={t`Source name`}
        description={isInput ? undefined : t`Others find it behind the name of the hub's machine.`}
        placeholder={isInput ? 'STUDIO (Camera 1)' : ''}
        spellCheck={false}
        {...form.getInputProps('ndiName')}
      />
      <div className={isInput ? styles.halves : undefined}>
        <TextInput
          label={t`Groups`}
          placeholder={t`The public one; several with commas`}
          spellCheck={false}
          {...form.getInputProps('ndiGroups')}
        />
        {isInput && (
          <TextInput
            label={t`Extra addresses`}
            placeholder={t`Machines to ask, with commas`}
            spellCheck={false}
            {...form.getInputProps('ndiExtraIps')}
          />
        )}
      </div>
      {isInput && (
        <Checkbox label={t`Low bandwidth`} {...form.getInputProps('ndiLowBandwidth', { type: 'checkbox' })} />
      )}
      <p className={styles.mark}>
        <Trans>
          NDI® is a mark of Vizrt NDI AB. The hub needs its runtime, which you install yourself:{' '}
          <a href="https://ndi.video" target="_blank" rel="noreferrer">
            ndi.video
          </a>
        </Trans>
      </p>
    </>
  );
}
