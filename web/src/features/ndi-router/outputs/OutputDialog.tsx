import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Checkbox, TextInput } from '@mantine/core';
import { IconArrowBackUp, IconLock, IconLockOpen } from '@tabler/icons-react';
import type { NdiOutput } from '../../../../../daemon/contract/ndi-router.ts';
import { NdiGroups, NdiLabel, NdiOutputName } from '../../../../../daemon/contract/ndi-router-fields.ts';
import { fullNdiName } from '../../../../../daemon/contract/ndi-router-words.ts';
import { FormDialog } from '../../../shared/editing/DialogForm.tsx';
import { InFoot } from '../../../shared/editing/InFoot.tsx';
import { showToast } from '../../../ui/feedback/toasts.ts';
import { faultAt } from '../../../ui/form/schema-form.ts';
import { useEditedForm } from '../../../ui/form/useEditedForm.ts';
import { Facts } from '../../../ui/layout/Facts.tsx';
import { addOutput, changeOutput, outputsQuery, type Router } from '../router-query.ts';
import { inputText } from '../router-text.ts';
import { undoRoutes } from '../routing.ts';
import { savedOrForced } from '../save-forced.ts';
import type { RouterActs } from '../useRouterActs.ts';
import { OutputState } from './OutputState.tsx';

interface OutputDialogProps {
  /** Undefined for a new one. */
  readonly output: NdiOutput | undefined;
  readonly router: Router;
  readonly acts: RouterActs;
  readonly mayEdit: boolean;
  readonly onClose: () => void;
}

interface OutputValues {
  readonly name: string;
  readonly label: string;
  readonly group: string;
  readonly whenLocked: boolean;
}

export default function OutputDialog({ output, router, acts, mayEdit, onClose }: OutputDialogProps) {
  const { t } = useLingui();
  const names = new Set([...router.outputs.values()].map(({ name }) => name));
  const fields = useEditedForm<NdiOutput, OutputValues>({
    ...{ now: output, revision: output?.revision, queryKey: outputsQuery.queryKey },
    valuesOf: (of) => ({
      ...{ name: of?.name ?? freeName(names), label: of?.label ?? '', group: of?.group ?? '' },
      whenLocked: of?.['failover-when-locked'] ?? false,
    }),
    check: ({ name, label, group }) => ({
      ...faultAt('name', NdiOutputName, name.trim()),
      ...faultAt('label', NdiLabel, label.trim()),
      ...faultAt('group', NdiGroups, group.trim()),
    }),
  });
  const { form, edit } = fields;
  const base = router.router['base-name'];
  const save = async (values: OutputValues) => {
    const [name, label, group] = [values.name.trim(), values.label.trim(), values.group.trim()];
    const body = { name, label, group, 'failover-when-locked': values.whenLocked };
    if (output === undefined) await addOutput(body);
    else {
      await savedOrForced((force) => changeOutput({ id: output.id, ...body, revision: edit.basis(), force }), {
        title: t`Rename “${output.name}”?`,
        consequence: t`Its receivers lose the picture, and have to be set to the new name.`,
        verb: t`Rename anyway`,
        onForced: onClose,
      });
    }
    showToast('success', output === undefined ? t`“${name}” was added.` : t`“${name}” was saved.`);
  };
  return (
    <FormDialog
      title={output === undefined ? t`Add output` : t`Output ${output.id}`}
      fields={fields}
      save={save}
      verb={output === undefined ? <Trans>Add output</Trans> : <Trans>Save</Trans>}
      isDisabled={!mayEdit}
      onClose={onClose}
    >
      {output && <OutputFacts output={output} router={router} />}
      <TextInput
        label={t`Name`}
        description={t`On the network: ${fullNdiName(base, form.values.name.trim())}`}
        data-autofocus
        autoComplete="off"
        {...form.getInputProps('name')}
      />
      <TextInput
        label={t`Label`}
        description={t`On this page and on panels. Empty: the name.`}
        autoComplete="off"
        {...form.getInputProps('label')}
      />
      <TextInput
        label={t`Groups`}
        description={t`NDI groups in which receivers see it, separated by commas. The matrix shows outputs of the same groups together.`}
        placeholder="Public"
        spellCheck={false}
        {...form.getInputProps('group')}
      />
      <Checkbox
        label={t`Switch to the backup input even while it is locked`}
        {...form.getInputProps('whenLocked', { type: 'checkbox' })}
      />
      {output && mayEdit && (
        <InFoot>
          <Button
            variant="default"
            leftSection={output.lock ? <IconLockOpen size={16} aria-hidden /> : <IconLock size={16} aria-hidden />}
            onClick={() => acts.lock(output.id)}
          >
            {output.lock ? <Trans>Unlock</Trans> : <Trans>Lock</Trans>}
          </Button>
          {output.previous !== undefined && (
            <Button
              variant="default"
              leftSection={<IconArrowBackUp size={16} aria-hidden />}
              onClick={() => void undoRoutes([output.id])}
            >
              <Trans>Undo last switch</Trans>
            </Button>
          )}
        </InFoot>
      )}
    </FormDialog>
  );
}

function OutputFacts({ output, router }: { output: NdiOutput; router: Router }) {
  const { t } = useLingui();
  const { lock, receivers } = output;
  const input = output.in === null ? undefined : router.inputs.get(output.in);
  return (
    <Facts
      facts={[
        { name: t`State`, value: <OutputState output={output} /> },
        { name: t`Routed to`, value: input === undefined ? t`None` : inputText(input) },
        { name: t`Sends`, value: output['applied-source'] ?? '–' },
        { name: t`Receivers`, value: receivers },
        { name: t`Locked by`, value: lock?.owner ?? '–' },
      ]}
    />
  );
}

/** The first name `Out n` that no output has. */
function freeName(taken: ReadonlySet<string>): string {
  let at = 1;
  while (taken.has(`Out ${at}`)) at += 1;
  return `Out ${at}`;
}
