import { Trans, useLingui } from '@lingui/react/macro';
import { Button, type MantineSize } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { WithReason } from '../../ui/overlay/WithReason.tsx';
import type { Router } from './router-query.ts';
import { outputText } from './router-text.ts';
import { type RouterActs, useNoEditReason, useUndoable } from './useRouterActs.ts';

interface UndoButtonProps {
  readonly router: Router;
  readonly acts: RouterActs;
  readonly mayEdit: boolean;
  readonly size?: MantineSize;
}

export function UndoButton({ router, acts, mayEdit, size = 'xs' }: UndoButtonProps) {
  const { t } = useLingui();
  const noEdit = useNoEditReason(mayEdit);
  const undoable = useUndoable(router);
  const [first] = undoable;
  const output = first === undefined ? undefined : router.outputs.get(first);
  const name = undoable.length === 1 && output ? outputText(output) : t`${undoable.length} outputs`;
  return (
    <WithReason reason={noEdit ?? (output === undefined ? t`There is nothing to undo.` : undefined)}>
      <Button
        size={size}
        variant="default"
        leftSection={<IconArrowBackUp size={16} aria-hidden />}
        title={output && t`Return ${name} to its previous route`}
        onClick={acts.undo}
      >
        <Trans>Undo</Trans>
      </Button>
    </WithReason>
  );
}
