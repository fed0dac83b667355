import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconCheck, IconCircle, IconLoader2 } from '@tabler/icons-react';
import { type ReactNode, useEffect } from 'react';
import { Link } from 'react-router-dom';
import { paths } from '../../lib/paths.ts';
import { useNow } from '../../ui/data/useNow.ts';
import { Panel } from '../../ui/layout/Panel.tsx';
import styles from './Upkeep.module.css';
import type { useHubReturn } from './useHubReturn.ts';

interface WaitPanelProps {
  readonly hub: ReturnType<typeof useHubReturn>;
  /** What the hub does, in order; the last one is that it starts again. */
  readonly steps: readonly ReactNode[];
  readonly done: ReactNode;
}

/** Shows the restart of the hub with its steps, and the way on once it is back. */
export function WaitPanel({ hub, steps, done }: WaitPanelProps) {
  const { t } = useLingui();
  const now = useNow(500);
  const { wait, state } = hub;
  const estimate = wait?.estimateSeconds ?? 0;
  const isOver = state !== 'waiting';
  useEffect(() => {
    if (state !== 'setup') return;
    // A hub without a password has nothing but the page on which it is set, and nothing of what was loaded before.
    location.hash = `#${paths.setup}`;
    location.reload();
  }, [state]);
  if (wait === undefined) return null;
  const seconds = Math.max(0, Math.round((now - wait.since) / 1000));
  const share = isOver ? 1 : Math.min(0.95, seconds / Math.max(1, wait.estimateSeconds));
  const reached = isOver ? steps.length : Math.min(steps.length - 1, Math.floor(share * steps.length));
  return (
    <Panel title={isOver ? done : <Trans>Please wait</Trans>}>
      <ol className={styles.steps}>
        {steps.map((step, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the steps are fixed
          <li key={at} data-state={at < reached ? 'done' : at === reached ? 'now' : 'next'}>
            <StepIcon isDone={at < reached} isNow={at === reached} />
            <span>{step}</span>
          </li>
        ))}
      </ol>
      <progress className={styles.progress} value={share} max={1} aria-label={t`Progress`} />
      <p className={styles.note} role="status">
        {isOver ? (
          <Trans>The hub is back.</Trans>
        ) : (
          <Trans>This usually takes {estimate} s. The page continues by itself, as do all other open consoles.</Trans>
        )}
      </p>
      {state === 'back' && (
        <Button component={Link} to={paths.dashboard} data-autofocus>
          <Trans>Go to the dashboard</Trans>
        </Button>
      )}
      {state === 'signedOut' && (
        <Button component={Link} to={paths.signIn} data-autofocus>
          <Trans>Sign in again</Trans>
        </Button>
      )}
    </Panel>
  );
}

function StepIcon({ isDone, isNow }: { isDone: boolean; isNow: boolean }) {
  const Icon = isDone ? IconCheck : isNow ? IconLoader2 : IconCircle;
  return <Icon size={18} aria-hidden />;
}
