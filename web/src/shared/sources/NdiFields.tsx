import { Trans, useLingui } from '@lingui/react/macro';
import { Checkbox, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { NdiPreset } from '../../../../daemon/contract/ndi-presets.ts';
import { HeldField } from './FormParts.tsx';
import { NdiCost } from './NdiCost.tsx';
import { NdiExtraIpsField, NdiServersField } from './NdiDiscoveryFields.tsx';
import { NdiMark } from './NdiMark.tsx';
import { NdiMulticastFields, NdiTransportField } from './NdiSendingFields.tsx';
import { NdiSourceName } from './NdiSourceName.tsx';
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
      <NdiServersField description={t`Separated by commas.`} value={form.getInputProps('ndiDiscovery')} />
      {isInput && <NdiExtraIpsField value={form.getInputProps('ndiExtraIps')} />}
      <TextInput label={t`Groups`} placeholder="Public" spellCheck={false} {...form.getInputProps('ndiGroups')} />
      <p className={styles.hint}>
        <Trans>For fields left empty, the hub’s NDI discovery settings apply.</Trans>
      </p>
      <div className={styles.halves}>
        <NdiTransportField value={form.getInputProps('ndiTransport')} isOptional />
        {isInput && <HeldField value={form.getInputProps('heldFor')} />}
      </div>
      {!isInput && isNdiMulticast(form.values) && (
        <NdiMulticastFields
          address={form.getInputProps('ndiMulticast')}
          mask={form.getInputProps('ndiMask')}
          ttl={form.getInputProps('ndiTtl')}
        />
      )}
      {isInput && (
        <Checkbox
          label={t`Low bandwidth`}
          description={t`Receives the preview stream of the source, about 640 pixels wide.`}
          {...form.getInputProps('ndiLowBandwidth', { type: 'checkbox' })}
        />
      )}
      <NdiCost isInput={isInput} />
      <NdiMark />
    </>
  );
}

/** What the preset does not have stays as it is. */
function ofPreset(preset: NdiPreset): Partial<SourceValues> {
  const { source, group, 'discovery-server': servers, 'extra-ips': extraIps, 'low-bandwidth': isLow } = preset;
  return {
    ...{ ndiName: source, ndiGroups: group },
    ...(servers !== undefined && { ndiDiscovery: servers }),
    ...(extraIps !== undefined && { ndiExtraIps: extraIps }),
    ...(isLow !== undefined && { ndiLowBandwidth: isLow }),
  };
}
