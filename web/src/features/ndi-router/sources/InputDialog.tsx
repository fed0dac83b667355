import { Trans, useLingui } from '@lingui/react/macro';
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { IconBookmark } from '@tabler/icons-react';
import { useState } from 'react';
import type { NdiInput } from '../../../../../daemon/contract/ndi-router.ts';
import { NdiGroups, NdiLabel, NdiSourceName } from '../../../../../daemon/contract/ndi-router-fields.ts';
import { deferredPart } from '../../../lib/lazy-part.tsx';
import { FormDialog } from '../../../shared/editing/DialogForm.tsx';
import { InFoot } from '../../../shared/editing/InFoot.tsx';
import { NdiPresetChoice } from '../../../shared/sources/NdiPresetChoice.tsx';
import { showToast } from '../../../ui/feedback/toasts.ts';
import { faultAt } from '../../../ui/form/schema-form.ts';
import { useEditedForm } from '../../../ui/form/useEditedForm.ts';
import { changeInput, inputsQuery, type Router, usePresets, useSources } from '../router-query.ts';
import { inputText } from '../router-text.ts';
import { savedOrForced } from '../save-forced.ts';

const SavePresetDialog = deferredPart(() => import('./SavePresetDialog.tsx'));

interface InputDialogProps {
  readonly input: NdiInput;
  readonly router: Router;
  readonly mayEdit: boolean;
  readonly onClose: () => void;
}

interface InputValues {
  readonly label: string;
  /** '' for none. */
  readonly source: string;
  readonly group: string;
  /** Number of an input, as text; '' for none. */
  readonly failover: string;
}

const valuesOf = (input: NdiInput | undefined): InputValues => ({
  ...{ label: input?.label ?? '', source: input?.source ?? '', group: input?.group ?? '' },
  failover: String(input?.failover ?? ''),
});

export default function InputDialog({ input, router, mayEdit, onClose }: InputDialogProps) {
  const { t } = useLingui();
  const sources = useSources();
  const presets = usePresets();
  const [isSavingPreset, setIsSavingPreset] = useState(false);
  const { id } = input;
  const fields = useEditedForm<NdiInput, InputValues>({
    ...{ now: input, revision: input.revision, queryKey: inputsQuery.queryKey, valuesOf },
    check: ({ label, source, group }) => ({
      ...faultAt('label', NdiLabel, label.trim()),
      ...(source.trim() !== '' && faultAt('source', NdiSourceName, source.trim())),
      ...faultAt('group', NdiGroups, group.trim()),
    }),
  });
  const { form, edit } = fields;
  const save = async (values: InputValues) => {
    const source = values.source.trim() || null;
    const body = {
      ...{ id, source, label: values.label.trim(), group: values.group.trim(), revision: edit.basis() },
      failover: values.failover === '' ? null : Number(values.failover),
    };
    await savedOrForced((force) => changeInput({ ...body, force }), {
      title: t`Empty input ${id}?`,
      consequence: t`Outputs are routed to this input. They lose their picture.`,
      verb: t`Empty anyway`,
      onForced: onClose,
    });
    showToast('success', t`Input ${id} was saved.`);
  };
  const others = [...router.inputs.values()].filter((one) => one.id !== id && one.source !== null);
  const { label, source, group } = form.values;
  return (
    <>
      <FormDialog
        title={t`Input ${id}`}
        fields={fields}
        save={save}
        verb={<Trans>Save</Trans>}
        isDisabled={!mayEdit}
        onClose={onClose}
      >
        <NdiPresetChoice
          presets={presets}
          onChoose={(of) => form.setValues({ source: of.source, group: of.group, label: of.alias || of.name })}
        />
        <TextInput label={t`Label`} data-autofocus autoComplete="off" {...form.getInputProps('label')} />
        <TextInput
          label={t`Source`}
          description={t`Its exact name on the network. Empty: the input has no source.`}
          placeholder={t`STUDIO-1 (Camera 2)`}
          spellCheck={false}
          autoComplete="off"
          list="ndi-sources"
          {...form.getInputProps('source')}
        />
        <datalist id="ndi-sources">
          {sources.map(({ name }) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <TextInput
          label={t`Group`}
          description={t`The NDI group of the source. The matrix shows inputs of the same group together.`}
          autoComplete="off"
          {...form.getInputProps('group')}
        />
        <NativeSelect
          label={t`Backup input`}
          description={t`Takes its place while its source is offline.`}
          data={[
            { value: '', label: t`None` },
            ...others.map((one) => ({ value: String(one.id), label: `${one.id} · ${inputText(one)}` })),
          ]}
          {...form.getInputProps('failover')}
        />
        {mayEdit && (
          <InFoot>
            <Button
              variant="default"
              leftSection={<IconBookmark size={16} aria-hidden />}
              disabled={source.trim() === ''}
              onClick={() => setIsSavingPreset(true)}
            >
              <Trans>Save as preset…</Trans>
            </Button>
          </InFoot>
        )}
      </FormDialog>
      {isSavingPreset && (
        <SavePresetDialog
          source={{ source: source.trim(), group: group.trim(), alias: label.trim() }}
          onClose={() => setIsSavingPreset(false)}
        />
      )}
    </>
  );
}
