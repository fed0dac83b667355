import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { DeliveryState } from '../../../../daemon/contract/alarms.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { FaultText } from '../../ui/feedback/FaultText.tsx';
import styles from './GeneralSettingsPage.module.css';

interface Attempt {
  readonly ok: boolean;
}

interface OutcomeProps<A> {
  readonly state: DeliveryState & { readonly last?: (A & { readonly time: number }) | undefined };
  /** A sentence for the outcome of an attempt. */
  readonly text: (attempt: A) => string;
}

interface DeliveryProps<A> extends Pick<OutcomeProps<A>, 'text'> {
  /** Undefined while it is loading. */
  readonly state: OutcomeProps<A>['state'] | undefined;
  /** Makes an attempt at once; undefined if the user can't. */
  readonly test: (() => Promise<A>) | undefined;
}

/** How often the state is loaded while the page is open. */
export const refreshMs = 10_000;

/** How the delivery of alarms to a target goes, and a button that tries it. */
export function Delivery<A extends Attempt>({ state, text, test }: DeliveryProps<A>) {
  return (
    <>
      {state !== undefined && <Outcome state={state} text={text} />}
      {test !== undefined && <TestButton test={test} text={text} />}
    </>
  );
}

function Outcome<A extends Attempt>({ state, text }: OutcomeProps<A>) {
  const format = useFormat();
  const { last, waiting, dropped, 'last-accepted': accepted } = state;
  return (
    <div className={styles.hint}>
      {last !== undefined && (
        <p>
          <Trans>
            Last delivery {format.dateTime(last.time)}: {text(last)}
          </Trans>
        </p>
      )}
      {last?.ok === false && accepted !== undefined && (
        <p>
          <Trans>Last successful delivery: {format.dateTime(accepted)}</Trans>
        </p>
      )}
      {waiting > 0 && (
        <p>
          <Trans>Waiting to be delivered: {format.number(waiting)}</Trans>
        </p>
      )}
      {dropped > 0 && (
        <p>
          <Trans>Dropped because the queue was full: {format.number(dropped)}</Trans>
        </p>
      )}
    </div>
  );
}

function TestButton<A>({ test, text }: { readonly test: () => Promise<A>; readonly text: (attempt: A) => string }) {
  const { mutate, isPending, error, data } = useMutation({ mutationFn: test });
  return (
    <div>
      <Button size="xs" variant="default" loading={isPending} onClick={() => mutate()}>
        <Trans>Send a test</Trans>
      </Button>
      <p className={styles.hint} role="status">
        {error !== null && <FaultText error={error} />}
        {data !== undefined && text(data)}
      </p>
    </div>
  );
}
