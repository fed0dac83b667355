import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { connection, useConnection } from '../../api/connection.ts';
import { useNow } from '../../ui/data/useNow.ts';
import styles from '../../ui/overlay/Curtain.module.css';
import { Curtain } from '../../ui/overlay/Curtain.tsx';

/** In the first bundle on purpose: when it is needed, nothing can be loaded any more. */
export function ConnectionOverlay() {
  const isLost = useConnection((state) => state.isLost);
  return isLost ? <ConnectionLost /> : null;
}

function ConnectionLost() {
  const { since, nextTry } = useConnection();
  const now = useNow(500);
  const lostFor = Math.max(0, Math.round((now - since) / 1000));
  const wait = Math.max(0, Math.ceil((nextTry - now) / 1000));
  return (
    <Curtain titleId="lost-title">
      <IconPlugConnectedX size={34} stroke={1.4} data-tone="fault" aria-hidden />
      <h2 id="lost-title">
        <Trans>The hub does not answer</Trans>
      </h2>
      <p>
        <Trans>Streams on air continue without it. This page reconnects automatically when the hub is back.</Trans>
      </p>
      <p className={styles.count}>
        <Trans>
          For {lostFor} s · next attempt in {wait} s
        </Trans>
      </p>
      <Button variant="default" onClick={connection.tryNow}>
        <Trans>Try now</Trans>
      </Button>
    </Curtain>
  );
}
