import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { CallError } from '../api/result.ts';
import { Banner } from './Banner.tsx';
import styles from './StaleNote.module.css';

interface StaleNoteProps {
  readonly error: unknown;
  /** What is loaded anew. */
  readonly queryKey: QueryKey;
  readonly onOverwrite: () => void;
}

function isStale(error: unknown): error is CallError {
  return error instanceof CallError && error.fault === 'stateChanged';
}

/** Somebody else was faster: who and what, and the two ways on. */
export function StaleNote({ error, queryKey, onOverwrite }: StaleNoteProps) {
  const client = useQueryClient();
  if (!isStale(error)) return null;
  const { by, change } = error.params;
  return (
    <div className={styles.note}>
      <Banner
        tone="warn"
        title={by ? <Trans>{by} has changed it meanwhile</Trans> : <Trans>It was changed meanwhile</Trans>}
      >
        {change}
      </Banner>
      <div className={styles.ways}>
        <Button variant="default" size="xs" onClick={() => void client.invalidateQueries({ queryKey })}>
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
