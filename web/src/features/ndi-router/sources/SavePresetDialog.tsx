import { Trans, useLingui } from '@lingui/react/macro';
import { TextInput } from '@mantine/core';
import type { NdiPreset } from '../../../../../daemon/contract/ndi-presets.ts';
import { NdiPresetFields } from '../../../../../daemon/contract/ndi-router-fields.ts';
import { CallError } from '../../../lib/call-error.ts';
import { FormDialog } from '../../../shared/editing/DialogForm.tsx';
import { showToast } from '../../../ui/feedback/toasts.ts';
import { faultAt } from '../../../ui/form/schema-form.ts';
import { useSchemaForm } from '../../../ui/form/useSchemaForm.ts';
import { confirm } from '../../../ui/overlay/confirm.ts';
import { savePreset } from '../router-query.ts';

interface SavePresetDialogProps {
  readonly source: Pick<NdiPreset, 'source' | 'group' | 'alias'>;
  readonly onClose: () => void;
}

/** Stores the source of an input by a name; asks before it replaces a preset of this name. */
export default function SavePresetDialog({ source, onClose }: SavePresetDialogProps) {
  const { t } = useLingui();
  const fields = useSchemaForm({
    initial: { name: source.alias ?? '' },
    check: ({ name }) => faultAt('name', NdiPresetFields.name, name.trim()),
  });
  const save = async (values: { readonly name: string }) => {
    const name = values.name.trim();
    const done = t`“${name}” was saved.`;
    try {
      await savePreset({ name, ...source });
    } catch (error) {
      if (error instanceof CallError && error.fault === 'objectExists') {
        confirm({
          title: t`Replace the preset “${name}”?`,
          consequence: t`It gets the source of this input. Inputs that were filled from it do not change.`,
          verb: t`Replace`,
          isDangerous: true,
          run: () => savePreset({ name, ...source, replace: true }).then(onClose),
          done,
        });
      }
      throw error;
    }
    showToast('success', done);
  };
  return (
    <FormDialog title={t`Save as preset`} size={420} {...{ fields, save, onClose }} verb={<Trans>Save preset</Trans>}>
      <TextInput
        label={t`Name`}
        description={source.source}
        data-autofocus
        autoComplete="off"
        {...fields.form.getInputProps('name')}
      />
    </FormDialog>
  );
}
