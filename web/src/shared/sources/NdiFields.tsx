import { useLingui } from '@lingui/react/macro';
import { Checkbox, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { HeldField } from './FormParts.tsx';
import { NdiCost } from './NdiCost.tsx';
import { NdiMark } from './NdiMark.tsx';
import { NdiMulticastFields, NdiTransportField } from './NdiSendingFields.tsx';
import { type ChosenPreset, NdiSourceName } from './NdiSourceName.tsx';
import { isNdiMulticast } from './ndi-form.ts';
import styles from './SourceDialog.module.css';
import type { SourceValues } from './source-values.ts';

interface NdiFieldsProps {
  readonly form: UseFormReturnType<SourceValues>;
  readonly isInput: boolean;
}

export default function NdiFields({ form, isInput }: NdiFieldsProps) {
  const { t } = useLingui();
  return (
    <>
      {isInput ? (
        <NdiSourceName value={form.getInputProps('ndiName')} onPreset={(preset) => form.setValues(ofPreset(preset))} />
      ) : (
        <TextInput
          label={t`Source name`}
          description={t`Appears on the network as the name of the hub's machine with this name in parentheses.`}
          spellCheck={false}
          {...form.getInputProps('ndiName')}
        />
      )}
      <div className={styles.halves}>
        <TextInput label={t`Groups`} placeholder="Public" spellCheck={false} {...form.getInputProps('ndiGroups')} />
        <TextInput
          label={t`Discovery servers`}
          placeholder={t`None; separate several with commas`}
          spellCheck={false}
          {...form.getInputProps('ndiDiscovery')}
        />
      </div>
      {isInput && (
        <div className={styles.halves}>
          <TextInput
            label={t`Extra addresses`}
            placeholder={t`Hosts to query, separated by commas`}
            spellCheck={false}
            {...form.getInputProps('ndiExtraIps')}
          />
          <HeldField value={form.getInputProps('heldFor')} />
        </div>
      )}
      <div className={styles.halves}>
        <NdiTransportField value={form.getInputProps('ndiTransport')} isOptional />
      </div>
      {!isInput && isNdiMulticast(form.values) && (
        <NdiMulticastFields
          address={form.getInputProps('ndiMulticast')}
          mask={form.getInputProps('ndiMask')}
          ttl={form.getInputProps('ndiTtl')}
        />
      )}
      {isInput && (
        <Checkbox label={t`Low bandwidth`} {...form.getInputProps('ndiLowBandwidth', { type: 'checkbox' })} />
      )}
      <NdiCost isInput={isInput} />
      <NdiMark />
    </>
  );
}

const ofPreset = (preset: ChosenPreset): Partial<SourceValues> => ({
  ndiGroups: preset.group,
  ndiDiscovery: preset['discovery-server'] ?? '',
  ndiExtraIps: preset['extra-ips'] ?? '',
  ndiLowBandwidth: preset['low-bandwidth'] ?? false,
});
