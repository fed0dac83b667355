import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack } from '@mantine/core';
import type { FormEvent, ReactNode, RefObject } from 'react';
import type { Edit } from '../../ui/form/useEditedForm.ts';
import { SaveFault } from './SaveFault.tsx';

interface DialogFormProps {
  readonly onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  /** The action of the submit button. */
  readonly act: { readonly error: unknown; readonly isPending: boolean };
  /** Faults already shown at their fields, so that they are not repeated. */
  readonly errors: object;
  /** Set for objects that others may edit at the same time. */
  readonly edit?: Edit;
  readonly verb: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly element?: RefObject<HTMLFormElement | null>;
  readonly isDisabled?: boolean;
  readonly isDangerous?: boolean;
}

/** The form of a dialog: fields, faults, and the submit and cancel buttons. */
export function DialogForm(props: DialogFormProps) {
  const {
    onSubmit,
    act,
    errors,
    edit,
    verb,
    onClose,
    children,
    element,
    isDisabled = false,
    isDangerous = false,
  } = props;
  return (
    <form ref={element} onSubmit={onSubmit} noValidate>
      <Stack gap="sm">
        {children}
        <SaveFault error={act.error} errors={errors} edit={edit} />
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
