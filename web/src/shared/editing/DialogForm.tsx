import { Trans } from '@lingui/react/macro';
import { Button, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useContext, useState } from 'react';
import { releaseForms, useUnsaved } from '../../ui/form/unsaved.ts';
import type { Edit } from '../../ui/form/useEditedForm.ts';
import type { SchemaForm } from '../../ui/form/useSchemaForm.ts';
import { Dialog } from '../../ui/overlay/Dialog.tsx';
import { DialogAround } from '../../ui/overlay/dialog-stack.ts';
import styles from './DialogForm.module.css';
import { FootPlace } from './InFoot.tsx';
import { SaveFault, StaleButtons, staleRevision } from './SaveFault.tsx';

interface DialogFormProps<V extends object, Answer> {
  /** With `edit` for objects that others may edit at the same time. */
  readonly fields: Pick<SchemaForm<V>, 'form' | 'element' | 'onSubmit' | 'place'> & { readonly edit?: Edit };
  readonly save: (values: V) => Promise<Answer>;
  /** Called after saving; by default the dialog closes. */
  readonly onSaved?: (answer: Answer) => void;
  readonly verb: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly isDisabled?: boolean;
  readonly isDangerous?: boolean;
}

/** The form of a dialog: fields, faults, and the submit and cancel buttons. */
export function DialogForm<V extends object, Answer>(props: DialogFormProps<V, Answer>) {
  const { fields, save, verb, onClose, onSaved = onClose, children, isDisabled = false, isDangerous = false } = props;
  const { form, element, onSubmit, edit } = fields;
  const dialog = useContext(DialogAround);
  useUnsaved(form.isDirty());
  const act = useMutation({
    mutationFn: save,
    onSuccess(answer) {
      if (dialog) releaseForms(dialog);
      onSaved(answer);
    },
    onError: fields.place,
  });
  const [place, setPlace] = useState<HTMLElement | null>(null);
  const stale = staleRevision({ error: act.error, errors: form.errors, edit });
  return (
    <form ref={element} className={styles.form} onSubmit={onSubmit((values) => act.mutate(values))} noValidate>
      <Stack gap="sm">
        <FootPlace value={place}>{children}</FootPlace>
      </Stack>
      <div className={styles.foot}>
        <SaveFault error={act.error} errors={form.errors} edit={edit} />
        <div className={styles.buttons}>
          <div ref={setPlace} className={styles.further} />
          <Button variant="default" onClick={() => (dialog?.close ?? onClose)()}>
            <Trans>Cancel</Trans>
          </Button>
          {stale === undefined ? (
            <Button
              type="submit"
              loading={act.isPending}
              disabled={isDisabled}
              {...(isDangerous && { color: 'fault' })}
            >
              {verb}
            </Button>
          ) : (
            <StaleButtons edit={edit} revision={stale} isSaving={act.isPending} />
          )}
        </div>
      </div>
    </form>
  );
}

interface FormDialogProps<V extends object, Answer> extends DialogFormProps<V, Answer> {
  readonly title: string;
  readonly size?: number;
}

export function FormDialog<V extends object, Answer>({ title, size, ...form }: FormDialogProps<V, Answer>) {
  return (
    <Dialog title={title} onClose={form.onClose} {...(size !== undefined && { size })}>
      <DialogForm {...form} />
    </Dialog>
  );
}
