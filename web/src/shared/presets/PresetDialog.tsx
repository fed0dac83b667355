import { Trans, useLingui } from '@lingui/react/macro';
import { ActionIcon, NativeSelect, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import type { Preset } from '../../../../daemon/contract/presets.ts';
import { SourceName } from '../../../../daemon/contract/rules.ts';
import { directions } from '../../../../daemon/contract/streams.ts';
import { editPath, paths } from '../../lib/paths.ts';
import { showAdded } from '../../ui/feedback/toasts.ts';
import { faultAt } from '../../ui/form/schema-form.ts';
import { useSchemaForm } from '../../ui/form/useSchemaForm.ts';
import { confirm } from '../../ui/overlay/confirm.ts';
import { FormDialog } from '../editing/DialogForm.tsx';
import { shownAddress } from '../sources/shown-address.ts';
import styles from './PresetDialog.module.css';
import { applyPreset, deletePreset } from './preset-calls.ts';

interface PresetDialogProps {
  readonly title: string;
  readonly verb: string;
  /** At least one. */
  readonly presets: readonly Preset[];
  readonly onClose: () => void;
}

interface Values {
  readonly preset: string;
  readonly name: string;
}

/** Creates an input or output from a preset; only its name is required. */
export default function PresetDialog({ title, verb, presets, onClose }: PresetDialogProps) {
  const { t } = useLingui();
  const fields = useSchemaForm<Values>({
    initial: { preset: String(presets[0]?.id), name: '' },
    check: ({ name }) => faultAt('name', SourceName, name),
  });
  const { form } = fields;
  const chosen = presets.find(({ id }) => String(id) === form.values.preset) ?? presets[0];
  const save = async ({ name }: Values) => {
    const { id } = await applyPreset({ id: Number(chosen?.id), name });
    const list = chosen?.dir === directions.input ? paths.inputs : paths.outputs;
    showAdded(t`“${name}” was added.`, editPath(list, id));
  };
  return (
    <FormDialog title={title} fields={fields} save={save} verb={verb} onClose={onClose}>
      <p className={styles.hint}>
        <Trans>A preset is a saved address. Deleting it does not affect what was added from it.</Trans>
      </p>
      <div className={styles.choice}>
        <NativeSelect
          label={t`Preset`}
          data={presets.map(({ id, name }) => ({ value: String(id), label: name }))}
          value={String(chosen?.id)}
          onChange={(event) => form.setFieldValue('preset', event.currentTarget.value)}
        />
        {chosen !== undefined && <DeletePreset preset={chosen} onLast={presets.length === 1 ? onClose : undefined} />}
      </div>
      <p className={styles.address}>{chosen && shownAddress(chosen.config)}</p>
      <TextInput label={t`Name`} data-autofocus {...form.getInputProps('name')} />
    </FormDialog>
  );
}

function DeletePreset({ preset, onLast }: { preset: Preset; onLast: (() => void) | undefined }) {
  const { t } = useLingui();
  const { id, name } = preset;
  const ask = () =>
    confirm({
      title: t`Delete the preset “${name}”?`,
      consequence: t`Existing inputs and outputs are not affected.`,
      verb: t`Delete preset`,
      isDangerous: true,
      async run() {
        await deletePreset({ id });
        onLast?.();
      },
    });
  return (
    <ActionIcon size={34} aria-label={t`Delete the preset ${name}`} title={t`Delete the preset ${name}`} onClick={ask}>
      <IconTrash size={16} stroke={1.7} aria-hidden />
    </ActionIcon>
  );
}
