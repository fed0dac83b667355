import { Trans, useLingui } from '@lingui/react/macro';
import { Checkbox, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { limits } from '../../../../daemon/contract/limits.ts';
import type { NdiRouter } from '../../../../daemon/contract/ndi-router.ts';
import { NdiBaseName, NdiRouterFields } from '../../../../daemon/contract/ndi-router-fields.ts';
import { showToast } from '../../ui/feedback/toasts.ts';
import { faultAt, numberOf } from '../../ui/form/schema-form.ts';
import { useEditedForm } from '../../ui/form/useEditedForm.ts';
import styles from './NdiRouter.module.css';
import { changeRouter, type Router, routerQuery } from './router-query.ts';
import { SettingsPanel } from './SettingsPanel.tsx';
import { savedOrForced } from './save-forced.ts';
import { useNoEditReason } from './useRouterActs.ts';

interface SettingsValues {
  readonly baseName: string;
  readonly inputs: string;
  readonly outputs: string;
  readonly autoFill: boolean;
}

const { ndiRouter } = limits;

const valuesOf = (router: NdiRouter | undefined): SettingsValues => ({
  baseName: router?.['base-name'] ?? '',
  inputs: String(router?.inputs ?? ndiRouter.inputs.default),
  outputs: String(router?.outputs ?? ndiRouter.outputs.default),
  autoFill: router?.['auto-fill'] ?? false,
});

/** Name and size of the router. */
export default function SettingsTab({ router: { router }, mayEdit }: { router: Router; mayEdit: boolean }) {
  const { t } = useLingui();
  const noEdit = useNoEditReason(mayEdit);
  const fields = useEditedForm<NdiRouter, SettingsValues>({
    ...{ now: router, revision: router.revision, queryKey: routerQuery.queryKey, valuesOf },
    fieldOf: (path) => ({ 'base-name': 'baseName', 'auto-fill': 'autoFill' })[path] ?? path,
    check: ({ baseName, inputs, outputs }) => ({
      ...faultAt('baseName', NdiBaseName, baseName.trim()),
      ...faultAt('inputs', NdiRouterFields.inputs, numberOf(inputs)),
      ...faultAt('outputs', NdiRouterFields.outputs, numberOf(outputs)),
    }),
  });
  const { form, edit, place } = fields;
  const save = useMutation({
    mutationFn: async (values: SettingsValues) => {
      const body = {
        ...{ 'base-name': values.baseName.trim(), 'auto-fill': values.autoFill },
        ...{ inputs: numberOf(values.inputs), outputs: numberOf(values.outputs), revision: edit.basis() },
      };
      const change = async (force: boolean) => edit.follow((await changeRouter({ ...body, force })).revision);
      await savedOrForced(change, {
        title: t`Change the router anyway?`,
        consequence: t`Inputs or outputs in use are removed, or outputs with receivers get another name. Receivers lose their picture.`,
        verb: t`Change anyway`,
        onForced: () => save.reset(),
      });
    },
    onSuccess: () => showToast('success', t`The settings of the router were saved.`),
    onError: place,
  });
  return (
    <SettingsPanel title={<Trans>Name and size</Trans>} fields={fields} save={save} noEdit={noEdit}>
      <TextInput
        label={t`Base name`}
        description={t`The names of all outputs start with it on the network: ${router['base-name'].toUpperCase()} (Out 1)`}
        spellCheck={false}
        autoComplete="off"
        {...form.getInputProps('baseName')}
      />
      <div className={styles.halves}>
        <TextInput
          label={t`Inputs`}
          description={t`At most ${ndiRouter.inputs.max}.`}
          inputMode="numeric"
          {...form.getInputProps('inputs')}
        />
        <TextInput
          label={t`Outputs`}
          description={t`At most ${ndiRouter.outputs.max}. More than 64 put a load on the network of the host.`}
          inputMode="numeric"
          {...form.getInputProps('outputs')}
        />
      </div>
      <Checkbox
        label={t`Give each new source the next free input`}
        {...form.getInputProps('autoFill', { type: 'checkbox' })}
      />
    </SettingsPanel>
  );
}
