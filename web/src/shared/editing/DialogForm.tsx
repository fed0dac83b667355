import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Edit } from '../../ui/form/useEditedForm.ts';
import type { SchemaForm } from '../../ui/form/useSchemaForm.ts';
import { Dialog } from '../../ui/overlay/Dialog.tsx';
import { SaveFault } from './SaveFault.tsx';

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
  const { form, element, onSubmit, place, edit } = fields;
  const act = useMutation({ mutationFn: save, onSuccess: onSaved, onError: place });
  return (
    <form ref={element} onSubmit={onSubmit((values) => act.mutate(values))} noValidate>
      <Stack gap="sm">
        {children}
        <SaveFault error={act.error} errors={form.errors} edit={edit} />
        <Group justify="flex-end" gap="xs" mt={4}>
          <Button variant="default" onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" loading={act.isPending} disabled={isDisabled} {...(isDangerous && { color: 'fault' })}>
            {verb}
          </Button>
        </Group>
      </Stack>
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
