import { useLingui } from '@lingui/react/macro';
import { Checkbox, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { NdiCost } from '../../shared/sources/NdiCost.tsx';
import { NdiMark } from '../../shared/sources/NdiMark.tsx';
import { NdiMulticastFields, NdiTransportField } from '../../shared/sources/NdiSendingFields.tsx';
import { type ChannelNdiValues, isNdiMulticast } from '../../shared/sources/ndi-form.ts';
import styles from '../../shared/sources/SourceDialog.module.css';

/** Fields for the NDI source that a channel offers. */
export function ChannelNdiFields<Values extends ChannelNdiValues>({ form }: { form: UseFormReturnType<Values> }) {
  const { t } = useLingui();
  return (
    <>
      <Checkbox
        label={t`Offer it as an NDI source`}
        description={t`Appears on the network as the name of the hub's machine with the channel name in parentheses.`}
        {...form.getInputProps('ndi', { type: 'checkbox' })}
      />
      <NdiCost isInput={false} />
      {form.values.ndi && (
        <>
          <div className={styles.halves}>
            <TextInput label={t`Groups`} placeholder="Public" spellCheck={false} {...form.getInputProps('ndiGroups')} />
            <NdiTransportField value={form.getInputProps('ndiTransport')} isOptional={false} />
          </div>
          {isNdiMulticast(form.values) && (
            <NdiMulticastFields
              address={form.getInputProps('ndiMulticast')}
              mask={form.getInputProps('ndiMask')}
              ttl={form.getInputProps('ndiTtl')}
            />
          )}
          <NdiMark />
        </>
      )}
    </>
  );
}
