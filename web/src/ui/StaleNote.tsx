import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { CallError } from '../api/result.ts';
import { Banner } from './Banner.tsx';
import styles from './StaleNote.module.css';

/** Sentences of the operation log: rarely needed. */
const LastChange = lazy(() => import('./LastChange.tsx'));

interface StaleNoteProps {
  readonly error: unknown;
  readonly onReload: () => void;
  readonly onOverwrite: () => void;
}

function isStale(error: unknown): error is CallError {
  return error instanceof CallError && error.fault === 'stateChanged';
}

/** Somebody else was faster: who and what, and the two ways on. */
export function StaleNote({ error, onReload, onOverwrite }: StaleNoteProps) {
  if (!isStale(error)) return null;
  const { by, change } = error.params;
  return (
    <div className={styles.note}>
      <Banner
        tone="warn"
        title={by ? <Trans>{by} has changed it meanwhile</Trans> : <Trans>It was changed meanwhile</Trans>}
      >
        <Suspense fallback={String(change ?? '')}>
          <LastChange error={error} />
        </Suspense>
      </Banner>
      <div className={styles.ways}>
        <Button variant="default" size="xs" onClick={onReload}>
          <Trans>Discard mine and load theirs</Trans>
        </Button>
        <Button variant="default" size="xs" onClick={onOverwrite}>
          <Trans>Overwrite with mine</Trans>
        </Button>
      </div>
    </div>
  );
}
StaleNote.covers = isStale;
