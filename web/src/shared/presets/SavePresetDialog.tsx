import { Trans, useLingui } from '@lingui/react/macro';
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { SourceName } from '../../../../daemon/contract/rules.ts';
import { faultOf } from '../../lib/call-error.ts';
import { showToast } from '../../ui/feedback/toasts.ts';
import { faultAt } from '../../ui/form/schema-form.ts';
import { useSchemaForm } from '../../ui/form/useSchemaForm.ts';
import { FormDialog } from '../editing/DialogForm.tsx';
import { savePreset } from './preset-calls.ts';

interface SavePresetDialogProps {
  readonly kind: 'input' | 'output';
  readonly source: { readonly id: number; readonly name: string };
  readonly onClose: () => void;
}

/** Saves an address under a name; an existing preset is replaced after confirmation. */
export default function SavePresetDialog({ kind, source, onClose }: SavePresetDialogProps) {
  const { t } = useLingui();
  const [taken, setTaken] = useState<string>();
  const fields = useSchemaForm<{ name: string }>({
    initial: { name: source.name },
    check: (values) => faultAt('name', SourceName, values.name),
  });
  const { form } = fields;
  const replaces = taken !== undefined && form.values.name === taken;
  const save = async ({ name }: { name: string }): Promise<boolean> => {
    const of = kind === 'input' ? { input: source.id } : { output: source.id };
    try {
      await savePreset({ name, ...of, ...(replaces && { replace: true }) });
    } catch (error) {
      if (faultOf(error) !== 'objectExists') throw error;
      setTaken(name);
      return false;
    }
    showToast('success', t`The preset “${name}” was saved.`);
    return true;
  };
  return (
    <FormDialog
      title={t`Save “${source.name}” as a preset`}
      size={440}
      fields={fields}
      save={save}
      onSaved={(isSaved) => isSaved && onClose()}
      verb={replaces ? <Trans>Replace preset</Trans> : <Trans>Save preset</Trans>}
      isDangerous={replaces}
      onClose={onClose}
    >
      <TextInput
        label={t`Name of the preset`}
        description={t`Keeps this address, with its passphrase and passwords, as a template for others.`}
        data-autofocus
        {...form.getInputProps('name')}
      />
      {replaces && (
        <p role="alert">
          <Trans>The preset “{taken}” already exists. Replace it? Existing inputs and outputs are not affected.</Trans>
        </p>
      )}
    </FormDialog>
  );
}
