import { Trans } from '@lingui/react/macro';
import { IconCheck, IconCircleX } from '@tabler/icons-react';
import { useFormat } from '../../i18n/useFormat.ts';
import { NoValue } from '../../ui/data/Quantity.tsx';
import { StateMark } from '../../ui/data/StateMark.tsx';
import { useLastTests } from './last-tests.ts';

/** Outcome of the last test of an input; when it was on hover. */
export function LastTestCell({ id }: { id: number }) {
  const format = useFormat();
  const test = useLastTests((tests) => tests[id]);
  if (test === undefined) return <NoValue />;
  const isFound = test.outcome.found;
  return (
    <span title={format.dateTime(test.time)}>
      <StateMark tone={isFound ? 'live' : 'fault'} icon={isFound ? IconCheck : IconCircleX}>
        {isFound ? <Trans>Passed</Trans> : <Trans>Failed</Trans>}
      </StateMark>
    </span>
  );
}
