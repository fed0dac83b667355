import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { EditButtons } from '../../shared/editing/EditButtons.tsx';
import { SaveFault } from '../../shared/editing/SaveFault.tsx';
import { useUnsaved } from '../../ui/form/unsaved.ts';
import type { EditedForm } from '../../ui/form/useEditedForm.ts';
import { Panel } from '../../ui/layout/Panel.tsx';
import { WithReason } from '../../ui/overlay/WithReason.tsx';
import styles from './NdiRouter.module.css';

interface SettingsPanelProps<T, V extends object> {
  readonly title: ReactNode;
  readonly fields: EditedForm<T, V>;
  readonly save: UseMutationResult<void, unknown, V>;
  /** Why the user cannot change the settings. */
  readonly noEdit: string | undefined;
  readonly children: ReactNode;
}

/** One form of settings of the router. */
export function SettingsPanel<T, V extends object>(props: SettingsPanelProps<T, V>) {
  const { title, fields, save, noEdit, children } = props;
  const { form, edit, element, onSubmit } = fields;
  useUnsaved(form.isDirty());
  const submit = (values: V) => {
    if (form.isDirty() && !save.isPending) save.mutate(values);
  };
  return (
    <Panel title={title}>
      <form ref={element} className={styles.settings} onSubmit={onSubmit(submit)} noValidate>
        {children}
        <SaveFault error={save.error} errors={form.errors} edit={edit} />
        <div className={styles.toolbar}>
          {noEdit === undefined ? (
            <EditButtons form={form} edit={edit} save={save} />
          ) : (
            <WithReason reason={noEdit}>
              <Button type="submit">
                <Trans>Save</Trans>
              </Button>
            </WithReason>
          )}
        </div>
      </form>
    </Panel>
  );
}
