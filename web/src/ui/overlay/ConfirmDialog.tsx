import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { CallError } from '../../lib/call-error.ts';
import { ActFault } from '../feedback/ActFault.tsx';
import { showToast } from '../feedback/toasts.ts';
import { type Confirm, closeConfirm } from './confirm.ts';
import { Dialog } from './Dialog.tsx';

export default function ConfirmDialog({ question }: { question: Confirm }) {
  const [user, setUser] = useState<string>();
  const isForced = user !== undefined;
  const act = useMutation({
    mutationFn: () => question.run(isForced),
    onSuccess() {
      closeConfirm();
      if (question.done !== undefined) showToast('success', question.done);
    },
    onError: (error) => {
      if (error instanceof CallError && error.isForceable && question.forced !== undefined)
        setUser(String(error.params.by ?? ''));
    },
  });
  const forced = isForced ? question.forced : undefined;
  const shownFault =
    act.error !== null && !(forced !== undefined && act.error instanceof CallError && act.error.isForceable);
  return (
    <Dialog title={question.title} onClose={closeConfirm} size={440}>
      <Stack gap="md">
        <p>{forced === undefined ? question.consequence : forced.consequence(user ?? '')}</p>
        {shownFault && <ActFault error={act.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={closeConfirm} data-autofocus>
            {question.keep ?? <Trans>Cancel</Trans>}
          </Button>
          <Button
            {...(question.isDangerous === true && { color: 'fault' })}
            loading={act.isPending}
            onClick={() => act.mutate()}
          >
            {(forced ?? question).verb}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
