import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconPlugConnectedX, IconRefresh } from '@tabler/icons-react';
import { connection, type HubWork, useConnection } from '../../api/connection.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { useNow } from '../../ui/data/useNow.ts';
import styles from '../../ui/overlay/Curtain.module.css';
import { Curtain } from '../../ui/overlay/Curtain.tsx';

/** In the first bundle on purpose: when it is needed, nothing can be loaded any more. */
export function ConnectionOverlay() {
  const { isLost, work, isExplained } = useConnection();
  if (isExplained) return null;
  if (work !== undefined) return <HubWorks work={work} />;
  return isLost ? <ConnectionLost /> : null;
}

/** Every open console says so, and comes back by itself. */
function HubWorks({ work }: { work: HubWork }) {
  return (
    <Curtain titleId="work-title" showsPage>
      <IconRefresh size={34} stroke={1.4} aria-hidden />
      <h2 id="work-title">
        {work === 'restarting' && <Trans>The hub is restarting</Trans>}
        {work === 'resetting' && <Trans>All settings are being reset</Trans>}
        {work === 'importing' && <Trans>Settings are being imported</Trans>}
      </h2>
      <p>
        <Trans>The hub starts again. This page comes back by itself.</Trans>
      </p>
    </Curtain>
  );
}

function ConnectionLost() {
  const { since, nextTry, streams } = useConnection();
  const format = useFormat();
  const now = useNow(500);
  const lostFor = Math.max(0, Math.round((now - since) / 1000));
  const wait = Math.max(0, Math.ceil((nextTry - now) / 1000));
  const lastSeen = format.clock(since);
  return (
    <Curtain titleId="lost-title" showsPage>
      <IconPlugConnectedX size={34} stroke={1.4} data-tone="fault" aria-hidden />
      <h2 id="lost-title">
        {streams === undefined ? <Trans>Connection to the hub lost</Trans> : <Trans>The hub was stopped</Trans>}
      </h2>
      <p>
        {streams === undefined && (
          <Trans>This page can't reach the hub. Streams may still be running; check the output.</Trans>
        )}
        {streams === 'end' && <Trans>All streams ended with it.</Trans>}
        {streams === 'continue' && (
          <Trans>Streams continue: the media engine is a separate service. They end if that is stopped, too.</Trans>
        )}
      </p>
      <p>
        <Trans>The page shows the state of {lastSeen}. It reconnects automatically.</Trans>
      </p>
      <p className={styles.count}>
        <Trans>
          Lost {lostFor} s ago · retrying in {wait} s
        </Trans>
      </p>
      <Button variant="default" onClick={connection.tryNow}>
        <Trans>Try now</Trans>
      </Button>
    </Curtain>
  );
}
