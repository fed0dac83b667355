import type { FormErrors } from '@mantine/form';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { useSearchParams } from 'react-router-dom';
import { useMay } from '../../api/session.ts';
import { EditButtons } from '../../shared/editing/EditButtons.tsx';
import { SaveFault } from '../../shared/editing/SaveFault.tsx';
import { FormFault } from '../../ui/feedback/FormFault.tsx';
import { useUnsaved } from '../../ui/form/unsaved.ts';
import styles from './GeneralSettingsPage.module.css';
import type { SettingsGroupState } from './useSettingsGroup.ts';

interface SettingsGroupProps<V extends object> {
  readonly title: ReactNode;
  readonly intro: ReactNode;
  readonly group: SettingsGroupState<V>;
  readonly children: ReactNode;
  /** The effect of saving; shown once something has changed. */
  readonly effect?: ReactNode;
  /** Asks for confirmation before saving; if absent, the form is saved immediately. */
  readonly onSubmit?: (values: V) => void;
}

export function SettingsGroup<V extends object>(props: SettingsGroupProps<V>) {
  const { title, intro, group, children, effect, onSubmit } = props;
  const { form, save, edit } = group;
  const id = useId();
  const element = useRef<HTMLFormElement>(null);
  const isSought = useSearchParams()[0].get('group') === group.name;
  useEffect(() => {
    if (!isSought) return;
    element.current?.scrollIntoView({ block: 'center' });
    element.current?.querySelector<HTMLElement>('input, select')?.focus({ preventScroll: true });
  }, [isSought]);
  const mayEdit = useMay('systemEdit');
  const isDirty = form.isDirty();
  useUnsaved(isDirty);
  const canSave = isDirty && !save.isPending;
  const submit = (values: V) => {
    if (canSave) (onSubmit ?? save.mutate)(values);
  };
  return (
    <form ref={element} className={styles.group} aria-labelledby={id} noValidate onSubmit={group.onSubmit(submit)}>
      <div className={styles.intro}>
        <h2 id={id}>{title}</h2>
        <div className={styles.introText}>{intro}</div>
      </div>
      <fieldset className={styles.fieldset} disabled={!mayEdit}>
        <div className={styles.fields}>
          {children}
          <div className={styles.effect} aria-live="polite">
            {isDirty && effect}
          </div>
          <WholeFaults errors={form.errors} values={form.values} />
          <SaveFault error={save.error} errors={form.errors} edit={edit} />
          {mayEdit && (
            <div className={styles.save}>
              <EditButtons form={form} edit={edit} save={save} />
            </div>
          )}
        </div>
      </fieldset>
    </form>
  );
}

/** Faults that do not belong to a single field. */
function WholeFaults({ errors, values }: { errors: FormErrors; values: object }) {
  const [fault] =
    Object.entries(errors)
      .find(([field]) => !Object.hasOwn(values, field))
      ?.slice(1) ?? [];
  return fault === undefined ? null : <FormFault>{fault}</FormFault>;
}
