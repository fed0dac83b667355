import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconClockPause } from '@tabler/icons-react';
import { useLayoutEffect, useRef } from 'react';
import { useSession } from '../../api/session.ts';
import { useNow } from '../../ui/data/useNow.ts';
import styles from './SessionWatch.module.css';
import { countdown } from './session-time.ts';
import { useSessionKeeper } from './useSessionKeeper.ts';

/** Warns before the session ends. Not needed for the first paint of a page. */
export default function SessionWatch() {
  const { endsAt, keep } = useSessionKeeper();
  useSameUser();
  return endsAt === undefined ? null : <SessionNote endsAt={endsAt} onStay={keep} />;
}

/** If another user has signed in in another tab, nothing shown to the previous user may remain. */
function useSameUser(): void {
  const { name } = useSession();
  const first = useRef(name);
  useLayoutEffect(() => {
    if (first.current !== name) location.reload();
  }, [name]);
}

function SessionNote({ endsAt, onStay }: { endsAt: number; onStay: () => void }) {
  const { t } = useLingui();
  const left = countdown(endsAt - useNow(250));
  return (
    <section className={styles.note} aria-label={t`Session`}>
      <IconClockPause size={20} stroke={1.6} aria-hidden />
      <div className={styles.text}>
        <p role="alert" className={styles.title}>
          <Trans>Your session is about to end</Trans>
        </p>
        <p>
          <Trans>
            You will be signed out in <span role="timer">{left}</span>
          </Trans>
        </p>
      </div>
      <Button size="xs" onClick={onStay}>
        <Trans>Stay signed in</Trans>
      </Button>
    </section>
  );
}
