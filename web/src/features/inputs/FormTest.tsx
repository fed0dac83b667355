import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { InFoot } from '../../shared/editing/InFoot.tsx';
import type { EditedSource } from '../../shared/sources/SourceDialog.tsx';
import { SourceTestState } from './SourceTestState.tsx';
import { useSourceTest } from './useSourceTest.ts';

interface FormTestProps {
  readonly source: EditedSource;
  /** Id of a stored input, whose secrets need not be typed again. */
  readonly id: number | undefined;
}

/** Tests the typed configuration before it is saved. */
export function FormTest({ source: { config, isValid, place }, id }: FormTestProps) {
  const run = useSourceTest();
  const { state, begin } = run;
  return (
    <>
      <SourceTestState run={run} />
      {state.is !== 'running' && (
        <InFoot>
          <Button
            variant="default"
            leftSection={<IconPlugConnected size={15} aria-hidden />}
            onClick={() => isValid() && begin({ ...(id !== undefined && { id }), config }, place)}
          >
            {state.is === 'done' ? <Trans>Test again</Trans> : <Trans>Test this source</Trans>}
          </Button>
        </InFoot>
      )}
    </>
  );
}
