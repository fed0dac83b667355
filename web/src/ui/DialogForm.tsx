import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack } from '@mantine/core';
import type { FormEvent, ReactNode, RefObject } from 'react';
import type { Edit } from '../lib/useEditedForm.ts';
import { SaveFault } from './SaveFault.tsx';

interface DialogFormProps {
  readonly onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  /** What the button sets going. */
  readonly act: { readonly error: unknown; readonly isPending: boolean };
  /** Faults that stand at their fields: what went wrong isn't said twice. */
  readonly errors: object;
  /** Of what others may edit at the same time. */
  readonly edit?: Edit;
  readonly verb: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly element?: RefObject<HTMLFormElement | null>;
  readonly isDisabled?: boolean;
  readonly isDangerous?: boolean;
}

/** The form of a dialog: its fields, what went wrong, and the two ways out of it. */
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
