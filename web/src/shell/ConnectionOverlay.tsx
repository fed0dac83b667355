import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { type SyntheticEvent, useEffect, useRef, useState } from 'react';
import { connection, useConnection } from '../api/connection.ts';
import styles from './ConnectionOverlay.module.css';

/** Part of the first bundle on purpose: when it is needed nothing can be loaded any more. */
export function ConnectionOverlay() {
  const isLost = useConnection((state) => state.isLost);
  return isLost ? <Curtain /> : null;
}

/** The browser's own dialog: it lies above open dialogs of ours and makes all of them inert. */
function Curtain() {
  const { since, nextTry } = useConnection();
  const now = useNow();
  const dialog = useRef<HTMLDialogElement>(null);
  const lostFor = Math.max(0, Math.round((now - since) / 1000));
  const wait = Math.max(0, Math.ceil((nextTry - now) / 1000));
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className={styles.card} aria-labelledby="lost-title" onCancel={stay}>
      <div className={styles.content}>
        <IconPlugConnectedX size={34} stroke={1.4} aria-hidden />
        <h2 id="lost-title">
          <Trans>The hub does not answer</Trans>
        </h2>
        <p>
          <Trans>Streams on air go on without it. This page continues by itself as soon as the hub is back.</Trans>
        </p>
        <p className={styles.count}>
          <Trans>
            For {lostFor} s · next attempt in {wait} s
          </Trans>
        </p>
        <Button variant="default" onClick={connection.tryNow}>
          <Trans>Try now</Trans>
        </Button>
      </div>
    </dialog>
  );
}

function stay(event: SyntheticEvent) {
  event.preventDefault();
}

function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  return now;
}
