import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Group, Stack } from '@mantine/core';
import { useEffect } from 'react';
import { Dialog } from '../../ui/overlay/Dialog.tsx';
import { keepTest } from './last-tests.ts';
import { SourceTestState } from './SourceTestState.tsx';
import { useSourceTest } from './useSourceTest.ts';

interface SourceTestDialogProps {
  readonly input: { readonly id: number; readonly name: string };
  readonly onClose: () => void;
}

/** Tests a stored input as soon as the dialog opens. */
export default function SourceTestDialog({ input: { id, name }, onClose }: SourceTestDialogProps) {
  const { t } = useLingui();
  const run = useSourceTest();
  const { begin } = run;
  useEffect(() => begin({ id }), [begin, id]);
  const { state } = run;
  useEffect(() => {
    if (state.is === 'done') keepTest(id, state.outcome);
  }, [id, state]);
  return (
    <Dialog title={t`Test “${name}”`} onClose={onClose} size={440}>
      <Stack gap="sm">
        <SourceTestState run={run} />
        <Group justify="flex-end" gap="xs">
          {run.state.is !== 'running' && (
            <Button variant="default" onClick={() => begin({ id })}>
              {run.state.is === 'idle' ? <Trans>Test</Trans> : <Trans>Test again</Trans>}
            </Button>
          )}
          <Button onClick={onClose} data-autofocus>
            <Trans>Close</Trans>
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
