import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { UseMutationResult } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { useMay } from '../../api/session.ts';
import { FaultText } from '../../ui/FaultText.tsx';
import { FormFault } from '../../ui/FormFault.tsx';
import styles from './GeneralSettingsPage.module.css';

interface SettingsGroupProps<V extends object> {
  readonly title: ReactNode;
  readonly intro: ReactNode;
  readonly group: { readonly form: UseFormReturnType<V>; readonly save: UseMutationResult<void, unknown, V> };
  readonly children: ReactNode;
  /** Asks before saving; without it the form is saved at once. */
  readonly onSubmit?: (values: V) => void;
}

export function SettingsGroup<V extends object>({ title, intro, group, children, onSubmit }: SettingsGroupProps<V>) {
  const { form, save } = group;
  const id = useId();
  const mayEdit = useMay('systemEdit');
  const hasFieldFaults = Object.keys(form.errors).length > 0;
  return (
    <form
      className={styles.group}
      aria-labelledby={id}
      noValidate
      onSubmit={form.onSubmit((values) => (onSubmit ? onSubmit(values) : save.mutate(values)))}
    >
      <div className={styles.intro}>
        <h2 id={id}>{title}</h2>
        <p>{intro}</p>
      </div>
      <fieldset className={styles.fieldset} disabled={!mayEdit}>
        <div className={styles.fields}>
          {children}
          {save.error !== null && !hasFieldFaults && (
            <FormFault>
              <FaultText error={save.error} />
            </FormFault>
          )}
          {mayEdit && (
            <div className={styles.save}>
              <Button type="submit" variant={form.isDirty() ? 'filled' : 'default'} loading={save.isPending}>
                <Trans>Save</Trans>
              </Button>
            </div>
          )}
        </div>
      </fieldset>
    </form>
  );
}
