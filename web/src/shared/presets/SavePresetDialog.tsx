import { Trans, useLingui } from '@lingui/react/macro';
import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import * as z from 'zod/mini';
import { SourceName } from '../../../../daemon/contract/rules.ts';
import { faultOf } from '../../lib/call-error.ts';
import { showToast } from '../../ui/feedback/toasts.ts';
import { faultsOf } from '../../ui/form/schema-form.ts';
import { useSchemaForm } from '../../ui/form/useSchemaForm.ts';
import { Dialog } from '../../ui/overlay/Dialog.tsx';
import { DialogForm } from '../editing/DialogForm.tsx';
import { savePreset } from './preset-calls.ts';

interface SavePresetDialogProps {
  readonly kind: 'input' | 'output';
  readonly source: { readonly id: number; readonly name: string };
  readonly onClose: () => void;
}

const Named = z.object({ name: SourceName });

/** Saves an address under a name; an existing preset is replaced after confirmation. */
export default function SavePresetDialog({ kind, source, onClose }: SavePresetDialogProps) {
  const { t } = useLingui();
  const [taken, setTaken] = useState<string>();
  const { form, onSubmit } = useSchemaForm<{ name: string }>({
    initial: { name: source.name },
    check: (values) => faultsOf(Named, values),
  });
  const replaces = taken !== undefined && form.values.name === taken;
  const act = useMutation({
    mutationFn: async ({ name }: { name: string }) => {
      const of = kind === 'input' ? { input: source.id } : { output: source.id };
      await savePreset({ name, ...of, ...(replaces && { replace: true }) });
      showToast('success', t`The preset “${name}” was saved.`);
    },
    onSuccess: onClose,
    onError: (error, { name }) => {
      if (faultOf(error) === 'objectExists') setTaken(name);
    },
  });
  const isTaken = faultOf(act.error) === 'objectExists';
  return (
    <Dialog title={t`Save “${source.name}” as a preset`} onClose={onClose} size={440}>
      <DialogForm
        onSubmit={onSubmit((values) => act.mutate(values))}
        act={{ isPending: act.isPending, error: isTaken ? null : act.error }}
        errors={form.errors}
        verb={replaces ? <Trans>Replace preset</Trans> : <Trans>Save preset</Trans>}
        isDangerous={replaces}
        onClose={onClose}
      >
        <TextInput
          label={t`Name of the preset`}
          description={t`The address is kept with its passphrase and passwords.`}
          data-autofocus
          {...form.getInputProps('name')}
        />
        {replaces && (
          <p role="alert">
            <Trans>The preset “{taken}” exists already. Replace it? Objects created from it stay unchanged.</Trans>
          </p>
        )}
      </DialogForm>
    </Dialog>
  );
}
